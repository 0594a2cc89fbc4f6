import type { Context } from '../context.ts';
import { findByIdIfAny } from '../find-by-id.ts';
import type { Problems } from '../../errors/errors.ts';

const models = { customer: 'Customer', project: 'Project', invoice: 'Invoice' } as const;

/**
 * Checks that the row of an input's `customerId`, `projectId`, or `invoiceId` exists. The foreign key enforces it, so rules defer
 * this check.
 */
export async function requireExisting(
  context: Context,
  problems: Problems,
  to: keyof typeof models,
  id: string | null | undefined,
): Promise<void> {
  if (id && !(await findByIdIfAny(context, models[to], id)))
    problems.add(`input.${to}Id`, 'not_found', `There is no such ${to}.`);
}
