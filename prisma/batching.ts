import DataLoader from 'dataloader';

// Batching with DataLoader: many single calls become one statement, which avoids N+1 queries. Nothing is cached, so that a
// transaction sees its own writes.

type Row = Record<string, unknown>;

/** The part of a model's delegate that is used here. */
interface Rows {
  findFirst(query: Row): Promise<Row | null>;
  findMany(query: Row): Promise<Row[]>;
}

/** Reads rows by id: one statement for all ids of a tick. */
export const batchById = (rows: Rows, fields: object): DataLoader<string, Row | null> =>
  new DataLoader<string, Row | null>(
    async (ids) => {
      if (ids.length === 1) return [await rows.findFirst({ ...fields, where: { id: ids[0] } })];
      const all = await rows.findMany({ ...fields, where: { id: { in: [...new Set(ids)] } } });
      const found = new Map(all.map((row) => [row['id'], row]));
      return ids.map((id) => found.get(id) ?? null);
    },
    { cache: false },
  );

/**
 * Batches the lookups of one request's rows by tick.
 * @param lookUp finds the values of many ids with one query
 * @param otherwise the value of an id that was not found
 * @returns a function that takes the id, and a condition that is the same for all ids of a batch
 */
export function batchPerRequest<Value, Context extends { db: object }, Condition extends object = object>(
  lookUp: (ids: string[], context: Context, condition: Condition) => Promise<Map<string, Value>>,
  otherwise: Value,
): (id: string, context: Context, condition?: Condition) => Promise<Value> {
  const loaders = new WeakMap<object, Map<string, DataLoader<string, Value>>>();
  return (id, context, condition = {} as Condition) => {
    const ofRequest = loaders.get(context.db) ?? new Map<string, DataLoader<string, Value>>();
    loaders.set(context.db, ofRequest);
    const key = JSON.stringify(condition);
    let loader = ofRequest.get(key);
    if (!loader) {
      loader = new DataLoader<string, Value>(
        async (ids) => {
          const values = await lookUp([...new Set(ids)], context, condition);
          return ids.map((each) => values.get(each) ?? otherwise);
        },
        { cache: false },
      );
      ofRequest.set(key, loader);
    }
    return loader.load(id);
  };
}

/** The largest batch of batchByGroup(), so that no statement grows without bounds. */
const maxBatchSize = 200;

/**
 * Batches the calls of each group, such as a tenant or a token: calls that arrive while a batch runs form the next batch. A
 * single call waits for nothing; each call is answered once its own batch is committed. Groups don't wait for each other.
 * @param open what a group's calls act on, such as the tenant's client
 * @param act answers in the order of the calls, an Error for one that failed alone. A batch that fails is retried call by
 *   call.
 */
export function batchByGroup<Target, Call, Answer>(
  open: (group: string) => Target,
  act: (target: Target, calls: readonly Call[]) => Promise<readonly (Answer | Error)[]>,
): (group: string, call: Call) => Promise<Answer> {
  const groups = new Map<string, { loader: DataLoader<Call, Answer>; waiting: number }>();

  function start(group: string) {
    const target = open(group);
    let running: Promise<unknown> = Promise.resolve();
    const loader = new DataLoader<Call, Answer>(
      (calls) => {
        const acting = act(target, calls).catch((error: unknown) => {
          if (calls.length === 1) throw error;
          return Promise.all(calls.map((call) => act(target, [call]).then(([answer]) => answer as Answer, asError)));
        });
        running = acting.catch(() => {});
        return acting;
      },
      {
        cache: false,
        maxBatchSize,
        batchScheduleFn: (next) => void running.then(() => setImmediate(next)),
      },
    );
    return { loader, waiting: 0 };
  }

  return async (name, call) => {
    const group = groups.get(name) ?? start(name);
    groups.set(name, group);
    group.waiting += 1;
    try {
      return await group.loader.load(call);
    } finally {
      group.waiting -= 1;
      if (group.waiting === 0) groups.delete(name);
    }
  };
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
