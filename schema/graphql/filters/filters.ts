import type { Context } from '../context.ts';

/** A list's filters by the names of their arguments. Each builds conditions on a row, all of which must hold. */
export type Filters<Where> = Record<string, (value: never, context: Context) => Where | Where[] | Promise<Where[]>>;

/** One condition of a table of filters. */
type Condition<Built> = Built extends readonly (infer Each)[] ? Each : Built;
type ConditionOf<Table extends Filters<object>> = Condition<Awaited<ReturnType<Table[keyof Table]>>>;

/**
 * The condition on a list's rows: that of each filter whose argument is given and not an empty text. Without any it is
 * empty, so that a total uses the maintained counts.
 */
export async function buildFilter<Table extends Filters<object>>(
  filters: Table,
  args: { [Name in keyof Table]?: Parameters<Table[Name]>[0] | null },
  context: Context,
): Promise<ConditionOf<Table> | { AND?: ConditionOf<Table>[] }> {
  const conditions: ConditionOf<Table>[] = [];
  for (const name in filters) {
    const value = args[name];
    if (value === undefined || value === null || value === '') continue;
    const built = await filters[name]?.(value as never, context);
    conditions.push(...([built].flat() as ConditionOf<Table>[]));
  }
  return conditions.length > 1 ? { AND: conditions } : (conditions[0] ?? {});
}
