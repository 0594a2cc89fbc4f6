import type { Context } from '../context.ts';
import { findByIdIfAny } from '../find-by-id.ts';
import type { Problems } from '../../errors.ts';

const models = { customer: 'Customer', project: 'Project', invoice: 'Invoice' } as const;

/** Deferred check that the row of an input's `customerId`, `projectId`, or `invoiceId` exists: the foreign key enforces it. */
export function requireExisting(
  context: Context,
  problems: Problems,
  to: keyof typeof models,
  id: string | null | undefined,
): void {
  if (!id) return;
  problems.defer(async () => {
    if (!(await findByIdIfAny(context, models[to], id))) problems.add(`input.${to}Id`, `There is no such ${to}.`);
  });
}
