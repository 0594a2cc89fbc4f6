import type { Context } from '../../graphql/context.ts';
import { emitAll } from '../../events/events.ts';

/** How many entries a statement writes. Reading its result is work of the process alone, so that requests of others wait for it. */
const maxWritten = 500;

/**
 * Puts time entries on an invoice, or with null takes them off theirs. They may be very many.
 * @param ids in the order of their events
 */
export async function setInvoice(context: Context, ids: string[], invoiceId: string | null): Promise<void> {
  const event = invoiceId === null ? 'time_entry.unbilled' : 'time_entry.billed';
  for (let start = 0; start < ids.length; start += maxWritten) {
    const where = { id: { in: ids.slice(start, start + maxWritten) } };
    const entries = await context.db.timeEntry.updateManyAndReturn({ where, data: { invoiceId } });
    await emitAll(
      context,
      entries.map((entry) => [event, entry] as const),
    );
  }
}
