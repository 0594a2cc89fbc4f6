import type { CreateProjectInput, UpdateProjectInput } from './mutations.ts';
import type { Readable } from '../../graphql/plugins/authorization-and-validation.ts';
import type { Context } from '../../graphql/context.ts';
import type { Problems } from '../../errors/errors.ts';
import type { Project as ProjectRow } from '../../../prisma/generated/client/client.ts';
import { requireExisting } from '../../graphql/input/references.ts';

type ProjectInput = Readable<typeof CreateProjectInput.$inferInput | typeof UpdateProjectInput.$inferInput>;

/** @param prefix of the path of a problem */
export function spanRules(
  { startDate, endDate }: { startDate?: Date | null | undefined; endDate?: Date | null | undefined },
  problems: Problems,
  prefix: string,
): void {
  if (startDate && endDate && endDate < startDate)
    problems.add(`${prefix}endDate`, 'wrong_order', 'Must not be before the start date.');
}

/** @param current the project that the input changes; nothing for a new one */
export async function projectRules(
  input: ProjectInput,
  context: Context,
  problems: Problems,
  current?: ProjectRow,
): Promise<void> {
  problems.defer(() => requireExisting(context, problems, 'customer', input.customerId));
  const startDate = input.startDate === undefined ? current?.startDate : input.startDate;
  const endDate = input.endDate === undefined ? current?.endDate : input.endDate;
  spanRules({ startDate, endDate }, problems, 'input.');
  if (current && input.currency && input.currency !== current.currency) {
    // Its entries have hourly rates in the project's currency.
    const entry = await context.db.timeEntry.findFirst({ where: { projectId: current.id }, select: { id: true } });
    if (entry)
      problems.add('input.currency', 'in_use', 'Time is tracked on this project: its currency can not be changed.', {
        by: 'time-entries',
      });
  }
}

/** The entries or receipts that prevent the deletion of a project. */
export async function projectReferences(context: Context, problems: Problems, { id }: ProjectRow): Promise<void> {
  const where = { projectId: id };
  if (await context.db.timeEntry.findFirst({ where }))
    problems.add('id', 'in_use', 'Time entries refer to this project.', { by: 'time-entries' });
  if (await context.db.receipt.findFirst({ where }))
    problems.add('id', 'in_use', 'Receipts refer to this project.', { by: 'receipts' });
}
