import type { Prisma, Row, Rows } from '../../prisma/client.ts';
import type { Context } from '../graphql/context.ts';
import { renderEvents, type EventInput } from '../events/events.ts';
import { findById } from '../graphql/find-by-id.ts';

/** The property in which a new row carries its REST representation. */
export const representation: unique symbol = Symbol('representation');

/** A new row. An event rendered REST's representation of it, as JSON text, so that REST need not render it again. */
export type NewlyInserted<Of> = Of & { [representation]?: string };

/**
 * Writes a new row, its dependent rows and its events in one statement.
 * @param row as it is written, with its relations
 * @param rows all rows to write, except for the events
 * @param events in order; the last one of the row has it as it stands at the end
 * @returns the row with the fields that `query` selects
 */
export async function insertNew<Name extends Prisma.ModelName>(
  context: Context,
  model: Name,
  row: Row<Name> & { id: string },
  { rows, events, query }: { rows: Rows; events: EventInput[]; query: object },
): Promise<NewlyInserted<Row<Name>>> {
  const rendered = await renderEvents(context, events);
  await context.insert({ ...rows, Event: rendered.map((each) => each.row) });
  return {
    ...(await findById(context, model, row, query)),
    [representation]: rendered.findLast(({ row: { resourceId } }) => resourceId === row.id)?.payload,
  };
}
