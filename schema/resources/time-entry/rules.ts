import type { TimeEntry as TimeEntryRow } from '../../../prisma/generated/client/client.ts';
import { refuse } from '../../errors/errors.ts';

/** Only an entry that no invoice bills may change. */
export function refuseBilled({ invoiceId }: TimeEntryRow, path: string): void {
  if (invoiceId) refuse(path, 'in_use', 'An invoice bills this time entry.', { by: 'invoices' });
}
