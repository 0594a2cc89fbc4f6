import type { Row } from '../../prisma/client.ts';
import { emitAll, type EventInput, type EventType } from '../events/events.ts';
import { key, type Context } from '../graphql/context.ts';
import { findById, type PrefetchedRow } from '../graphql/find-by-id.ts';
import { lockRow, type RowArguments } from './locked-row.ts';

type Model = 'Invoice' | 'Receipt';

/** One step of a transition: the columns that it changes, and the events that say so. */
export interface Step<Of extends Model> {
  changes: Partial<Row<Of>>;
  events: EventType[];
}

/** Takes a row that isn't written yet through steps. @returns the row to write, and the events, each with the row then */
export function takeSteps<Of extends Model, Stepping extends Row<Of>>(
  row: Stepping,
  steps: Step<Of>[],
): { row: Stepping; events: EventInput[] } {
  const events: EventInput[] = [];
  let current = row;
  for (const step of steps) {
    current = { ...current, ...step.changes };
    for (const type of step.events) events.push([type, current]);
  }
  return { row: current, events };
}

/**
 * Takes a stored row through steps, under its lock. Each is written with its own version.
 * @param row the row, or its id and the relations that are loaded already
 */
export async function writeSteps<Of extends Model>(
  context: Context,
  model: Of,
  row: PrefetchedRow,
  steps: Step<Of>[],
): Promise<PrefetchedRow> {
  let current = row;
  for (const { changes, events } of steps) {
    current = { ...current, ...(await context.db.model(model).update({ where: key(context, row.id), data: changes })) };
    await emitAll(
      context,
      events.map((type) => [type, current]),
    );
  }
  return current;
}

/**
 * The resolver of a mutation that moves one row to another state: lock, version, transition, answer.
 * @param move answers the row as it is afterwards, or its id
 */
export const transitionRow = <Of extends Model, Args extends RowArguments = RowArguments>(
  model: Of,
  move: (inside: Context, current: Row<Of>, args: Args) => Promise<PrefetchedRow | string>,
) => ({
  resolve: (query: object, _root: unknown, args: Args, context: Context): Promise<Row<Of>> =>
    context.transaction(async (inside) => {
      const current = await lockRow(inside, model, args);
      return findById(inside, model, await move(inside, current, args), query);
    }),
});
