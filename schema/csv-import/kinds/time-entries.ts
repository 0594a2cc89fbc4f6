import type { Row } from '../../../prisma/client.ts';
import type { Context } from '../../graphql/context.ts';
import { Decimal } from '../../money/money.ts';
import type { Errors } from '../errors.ts';
import { fieldsOf, type Maker } from '../maker.ts';
import type { CsvRow } from '../read-file.ts';
import type { Values } from '../read-row.ts';
import { findMembers, findReferred, idsOf, referred, type Find } from '../references.ts';

export const makeTimeEntries: Maker = async (context, rows, errors) => {
  const findProject = await findReferred(context, rows, 'project');
  const findMember = await findMembers(context);
  const rates = await lockProjects(context, rows, findProject);
  return (_record, { row, values }) => {
    const projectId = referred(findProject, 'project', row, values, errors);
    const userId = referred(findMember, 'person', row, values, errors) ?? context.user.id;
    const durationMinutes = durationOf(row, values, errors);
    if (projectId === null || durationMinutes === undefined) return undefined;
    const fields = fieldsOf<'TimeEntry'>(values, ['project', 'person', 'duration', 'hours']);
    const hourlyRateNet = fields.hourlyRateNet ?? rates.get(projectId) ?? null;
    return {
      TimeEntry: [context.db.row('TimeEntry', { ...fields, projectId, userId, durationMinutes, hourlyRateNet })],
    };
  };
};

/** Projects keep their currency until the transaction ends. @returns their hourly rates */
async function lockProjects(
  context: Context,
  rows: CsvRow[],
  find: Find,
): Promise<Map<string, Row<'Project'>['hourlyRateNet']>> {
  const rates = new Map<string, Row<'Project'>['hourlyRateNet']>();
  for (const id of idsOf(rows, 'project', find)) {
    const project = await context.db.lock('Project', id, 'key share');
    if (project) rates.set(id, project.hourlyRateNet);
  }
  return rates;
}

/** The most of a day. */
const maxMinutes = 1440;

function durationOf(row: CsvRow, { duration, hours }: Values, errors: Errors): number | undefined {
  if ((duration === undefined) === (hours === undefined)) {
    errors.add(row, 'duration', 'Give the time worked as either a duration or hours.');
    return undefined;
  }
  const minutes = hours instanceof Decimal ? hours.times(60).round().toNumber() : Number(duration);
  if (minutes >= 1 && minutes <= maxMinutes) return minutes;
  errors.add(row, hours === undefined ? 'duration' : 'hours', `Must be from 1 to ${maxMinutes} minutes.`);
  return undefined;
}
