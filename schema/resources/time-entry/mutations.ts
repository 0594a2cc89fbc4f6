import { TimeEntry } from './type.ts';
import { refuseBilled } from './rules.ts';
import { wholeNumber, text, decimal, notNull, given } from '../../graphql/input/validators.ts';
import { type InputFields, builder } from '../../graphql/builder.ts';
import { requireExisting } from '../../graphql/input/references.ts';
import { refuse } from '../../errors/errors.ts';
import { insertNew } from '../../rows/insert-new.ts';
import { newOwnFields, ownFields } from '../../graphql/input/own-fields.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { expectedVersionArgument } from '../../graphql/input/expected-version.ts';
import { changeRow, deleteRow } from '../../rows/change-row.ts';

const durationMinutes = wholeNumber(1, 1440);

const optionalFields = (t: InputFields) => ({
  description: t.string({ validate: text(5000) }),
  hourlyRateNet: t.field({
    type: 'Decimal',
    description: "Net price per hour, in the project's currency. Default: the project's rate.",
    validate: decimal({ decimals: 4, min: 0 }),
  }),
});

const CreateTimeEntryInput = builder.inputType('CreateTimeEntryInput', {
  description: 'Time to add to a project.',
  fields: (t) => ({
    projectId: t.field({ type: 'UUID', required: true }),
    date: t.field({ type: 'Date', required: true }),
    durationMinutes: t.int({ required: true, validate: durationMinutes }),
    billable: t.boolean({ description: 'Whether the time can be billed. Default: true.' }),
    ...optionalFields(t),
    ...newOwnFields(t),
  }),
});

const UpdateTimeEntryInput = builder.inputType('UpdateTimeEntryInput', {
  description: 'Only the fields that are present change; null clears a field.',
  fields: (t) => ({
    date: t.field({ type: 'Date', ...notNull }),
    durationMinutes: t.int({ validate: durationMinutes, ...notNull }),
    billable: t.boolean(notNull),
    ...optionalFields(t),
    ...ownFields(t),
  }),
});

builder.mutationFields((t) => ({
  createTimeEntry: t.prismaField({
    type: TimeEntry,
    description: 'Adds time of the caller to a project.',
    ability: 'time-entries:write',
    args: { input: t.arg({ type: CreateTimeEntryInput, required: true }) },
    rules: ({ input }, context, problems) => {
      problems.defer(() => requireExisting(context, problems, 'project', input?.projectId));
    },
    resolve: (query, _root, { input }, context) =>
      context.transaction(async (inside) => {
        // The entry's rate is in the project's currency, which must not change before the entry is written.
        const project = await inside.db.lock('Project', input.projectId, 'key share');
        if (!project) refuse('input.projectId', 'not_found', 'There is no such project.');
        const entry = inside.db.row('TimeEntry', {
          ...input,
          billable: given(input.billable),
          hourlyRateNet: input.hourlyRateNet ?? project.hourlyRateNet,
          userId: context.user.id,
        });
        return insertNew(inside, 'TimeEntry', entry, {
          rows: { TimeEntry: [entry] },
          events: [['time_entry.created', entry]],
          query,
        });
      }),
  }),

  updateTimeEntry: t.prismaField({
    type: TimeEntry,
    description: 'Changes an entry that no invoice bills.',
    ability: 'time-entries:write',
    args: { ...idArgument, input: t.arg({ type: UpdateTimeEntryInput, required: true }), ...expectedVersionArgument },
    ...changeRow('TimeEntry', {
      rules: (_input, _context, _problems, current) => refuseBilled(current, 'billed'),
      data: (input: typeof UpdateTimeEntryInput.$inferInput) => ({
        ...input,
        date: given(input.date),
        durationMinutes: given(input.durationMinutes),
        billable: given(input.billable),
      }),
      event: 'time_entry.updated',
    }),
  }),

  deleteTimeEntry: t.prismaField({
    type: TimeEntry,
    description: 'Deletes a time entry. Refused while an invoice bills it.',
    ability: 'time-entries:write',
    args: { ...idArgument, ...expectedVersionArgument },
    ...deleteRow('TimeEntry', {
      rules: (_context, _problems, current) => refuseBilled(current, 'id'),
      event: 'time_entry.deleted',
    }),
  }),
}));
