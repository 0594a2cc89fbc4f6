import { key, type Context } from '../context.ts';
import type { Problems } from '../../errors.ts';

/** Deferred check that the row of an input's `customerId`, `projectId`, or `invoiceId` exists: the foreign key enforces it. */
export function requireExisting(
  context: Context,
  problems: Problems,
  to: 'customer' | 'project' | 'invoice',
  id: string | null | undefined,
): void {
  if (!id) return;
  const where = key(context, id);
  const exists = {
    customer: () => context.db.customer.findUnique({ where }),
    invoice: () => context.db.invoice.findUnique({ where }),
    project: () => context.db.project.findUnique({ where }),
  };
  problems.addUnlessExists(exists[to], `input.${to}Id`, `There is no such ${to}.`);
}
