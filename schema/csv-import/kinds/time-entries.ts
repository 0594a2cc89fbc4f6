import type { Row } from '../../../prisma/client.ts';
import type { Context } from '../../graphql/context.ts';
import { Decimal } from '../../money/money.ts';
import { externalIdField, reference, noMetadata } from '../common-fields.ts';
import type { Errors } from '../errors.ts';
import type { Kind, RowBuilder } from '../kind.ts';
import type { CsvRow } from '../read-file.ts';
import { toNewRow, type Values } from '../read-row.ts';
import { lookupSize } from '../existing-records.ts';
import { findIds, findMembers, findReferred, findNamed, type Find } from '../references.ts';

type Rate = Row<'Project'>['hourlyRateNet'];

export const timeEntries: Kind = {
  model: 'TimeEntry',
  mutation: 'importTimeEntries',
  reads: ['projects:read'],
  fields: {
    externalId: externalIdField,
    project: reference('project', { required: true }),
    date: { description: 'The day of the work.' },
    duration: { type: 'DURATION', description: 'The time worked: `1:30`, `1:30:00`, or minutes.' },
    hours: { type: 'DECIMAL', description: 'The time worked in hours, instead of `duration`.' },
    description: { description: 'What was done.' },
    billable: { description: '`yes` or `no`, `true` or `false`, `1` or `0`. Default: yes.' },
    hourlyRateNet: { description: "The net price per hour. Default: the project's." },
    person: {
      type: 'REFERENCE',
      description: 'The e-mail address or name of the member who worked. Default: the caller.',
    },
  },
  excluded: {
    metadata: noMetadata,
    projectId: 'Files name the project: `project`.',
    durationMinutes: 'Files have a `duration`, or `hours`.',
  },
  prepare: prepareTimeEntries,
};

async function prepareTimeEntries(prepared: Context, rows: CsvRow[]): Promise<RowBuilder> {
  const findProject = await findReferred(prepared, rows, 'project');
  const findMember = await findMembers(prepared);
  const rates = await readRates(prepared, rows, findProject);
  return (context, _record, { row, values }, errors) => {
    const projectId = findNamed(findProject, 'project', row, values, errors);
    const userId = findNamed(findMember, 'person', row, values, errors) ?? context.user.id;
    const durationMinutes = readDuration(row, values, errors);
    if (projectId === null || durationMinutes === undefined) return undefined;
    const fields = toNewRow<'TimeEntry'>(values);
    const hourlyRateNet = fields.hourlyRateNet ?? rates.get(projectId) ?? null;
    return {
      TimeEntry: [context.db.row('TimeEntry', { ...fields, projectId, userId, durationMinutes, hourlyRateNet })],
    };
  };
}

/** The hourly rates of the projects that the file names. */
async function readRates({ db }: Context, rows: CsvRow[], find: Find): Promise<Map<string, Rate>> {
  const ids = findIds(rows, 'project', find);
  const rates = new Map<string, Rate>();
  for (let start = 0; start < ids.length; start += lookupSize) {
    const where = { id: { in: ids.slice(start, start + lookupSize) } };
    for (const { id, hourlyRateNet } of await db.project.findMany({ where, select: { id: true, hourlyRateNet: true } }))
      rates.set(id, hourlyRateNet);
  }
  return rates;
}

/** The most of a day. */
const maxMinutes = 1440;

function readDuration(row: CsvRow, { duration, hours }: Values, errors: Errors): number | undefined {
  if ((duration === undefined) === (hours === undefined)) {
    const code = hours === undefined ? 'required' : 'inconsistent';
    errors.add(row, 'duration', code, 'Give the time worked as either a duration or hours.');
    return undefined;
  }
  const minutes = hours instanceof Decimal ? hours.times(60).round().toNumber() : Number(duration);
  if (minutes >= 1 && minutes <= maxMinutes) return minutes;
  const bounds = { min: 1, max: maxMinutes };
  errors.add(
    row,
    hours === undefined ? 'duration' : 'hours',
    'out_of_range',
    `Must be from 1 to ${maxMinutes} minutes.`,
    bounds,
  );
  return undefined;
}
