import { key, type Context } from '../context.ts';
import type { Problems } from '../errors.ts';

/** An input's `customerId` or `projectId`, which may name nobody's: its foreign key refuses that by itself. */
export function refers(
  context: Context,
  problems: Problems,
  to: 'customer' | 'project',
  id: string | null | undefined,
): void {
  if (!id) return;
  const where = key(context, id);
  const exists = {
    customer: () => context.db.customer.findUnique({ where }),
    project: () => context.db.project.findUnique({ where }),
  };
  problems.addUnless(exists[to], `input.${to}Id`, `There is no such ${to}.`);
}
