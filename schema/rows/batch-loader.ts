import DataLoader from 'dataloader';
import type { Context } from '../context.ts';

/**
 * Answers what many rows of one request ask with one query: what `batch` finds for each id, or `otherwise`.
 * Nothing is kept between ticks, so that a transaction sees its own writes.
 */
export function loader<Value>(
  batch: (ids: string[], context: Context) => Promise<Map<string, Value>>,
  otherwise: Value,
): (id: string, context: Context) => Promise<Value> {
  const loaders = new WeakMap<Context['db'], DataLoader<string, Value>>();
  return (id, context) => {
    let ofContext = loaders.get(context.db);
    if (!ofContext) {
      ofContext = new DataLoader<string, Value>(
        async (ids) => {
          const values = await batch([...new Set(ids)], context);
          return ids.map((each) => values.get(each) ?? otherwise);
        },
        { cache: false },
      );
      loaders.set(context.db, ofContext);
    }
    return ofContext.load(id);
  };
}
