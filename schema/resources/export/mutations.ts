import { TooManyUnfinishedError, found, refuse, requireAbilities, type Problems } from '../../errors/errors.ts';
import { builder } from '../../graphql/builder.ts';
import { key, type Context } from '../../graphql/context.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { count, wholeNumber } from '../../graphql/input/validators.ts';
import { formatDay } from '../../graphql/scalars/scalars.ts';
import { abilitiesToExport, listKinds, maxIds, maxUnfinished } from './kinds.ts';
import { finish } from './transitions.ts';
import { Export, ExportChart, ExportFormat, ExportResource, ExportSide, ExportType } from './type.ts';
import { allows, transitions } from '../../rows/states.ts';

/** Seconds after which a client should try again. */
const retryAfter = 30;

/** The longest period of an export in years. Books are kept for ten years (§ 147 (3) AO). */
export const maxYears = 12;

const CreateExportInput = builder.inputType('CreateExportInput', {
  description: 'A new export. Each type takes some of the fields, and refuses the others.',
  example: { type: 'LIST', resource: 'INVOICES', format: 'CSV', ids: null, from: '2026-01-01', to: '2026-12-31' },
  fields: (t) => ({
    type: t.field({ type: ExportType, required: true, description: 'What is exported.' }),
    resource: t.field({ type: ExportResource, description: 'Whose list: needed for a list, and only there.' }),
    format: t.field({ type: ExportFormat, description: 'The format of a list or of open items. Default: CSV.' }),
    ids: t.field({
      type: ['UUID'],
      description: 'The ids of the only rows of a list, or of the documents whose lines it has. Default: all rows.',
      validate: count(1, maxIds, 'ids'),
    }),
    from: t.field({
      type: 'Date',
      description: 'The first day: needed for DATEV and GoBD. A list has rows of all days unless it is given.',
    }),
    to: t.field({ type: 'Date', description: 'The last day, as for the first one.' }),
    at: t.field({ type: 'Date', description: 'The day of open items, needed there.' }),
    side: t.field({ type: ExportSide, description: 'Who owes the open items. Default: RECEIVABLE.' }),
    chart: t.field({ type: ExportChart, description: 'The chart of accounts: needed for DATEV.' }),
    consultantNumber: t.int({
      description: 'The number of the tax consultant at DATEV. Default: 1001.',
      validate: wholeNumber(1001, 9_999_999),
    }),
    clientNumber: t.int({
      description: 'The number of the business at its tax consultant. Default: 1.',
      validate: wholeNumber(1, 99_999),
    }),
  }),
});

type Input = typeof CreateExportInput.$inferInput;
type Field = Exclude<keyof Input, 'type'>;

/** The fields that each type takes: those that it needs, and others. */
const fieldsByType: Record<Input['type'], { needs: readonly Field[]; takes: readonly Field[] }> = {
  LIST: { needs: ['resource'], takes: ['format', 'ids', 'from', 'to'] },
  OPEN_ITEMS: { needs: ['at'], takes: ['format', 'side'] },
  DATEV: { needs: ['from', 'to', 'chart'], takes: ['consultantNumber', 'clientNumber'] },
  GOBD: { needs: ['from', 'to'], takes: [] },
};
const allFields = [
  'resource',
  'format',
  'ids',
  'from',
  'to',
  'at',
  'side',
  'chart',
  'consultantNumber',
  'clientNumber',
] as const;

function checkFields(input: Partial<Input> & Pick<Input, 'type'>, problems: Problems): void {
  const { needs, takes } = fieldsByType[input.type];
  const isDated = !input.resource || listKinds[input.resource].isDated;
  for (const field of allFields) {
    const isTaken = takes.includes(field) && (isDated || (field !== 'from' && field !== 'to'));
    if (input[field] == null) {
      if (needs.includes(field)) problems.add(`input.${field}`, 'required', 'Required for this type.');
    } else if (!needs.includes(field) && !isTaken)
      problems.add(`input.${field}`, 'inconsistent', 'Not for this type, or not for this list.');
  }
  checkPeriod(input, problems);
}

function checkPeriod({ from, to }: Pick<Partial<Input>, 'from' | 'to'>, problems: Problems): void {
  if (!from || !to) return;
  if (from > to) problems.add('input.to', 'wrong_order', 'Must not be before the first day.');
  const last = new Date(from);
  last.setUTCFullYear(from.getUTCFullYear() + maxYears);
  if (to > last)
    problems.add('input.to', 'day_out_of_range', `Must be at most ${maxYears} years after the first day.`, {
      min: formatDay(from),
      max: formatDay(last),
    });
}

const withDefaults = ({ type, ...given }: Input) => ({
  type,
  resource: given.resource ?? null,
  format: type === 'LIST' || type === 'OPEN_ITEMS' ? (given.format ?? 'CSV') : null,
  ids: given.ids ?? [],
  from: given.from ?? null,
  to: given.to ?? null,
  at: given.at ?? null,
  side: type === 'OPEN_ITEMS' ? (given.side ?? 'RECEIVABLE') : null,
  chart: given.chart ?? null,
  consultantNumber: type === 'DATEV' ? (given.consultantNumber ?? 1001) : null,
  clientNumber: type === 'DATEV' ? (given.clientNumber ?? 1) : null,
});

/** Takes a free slot. A trigger adds the job. @returns the export's id */
async function insertIntoSlot(inside: Context, input: Input): Promise<string> {
  const { user, token } = inside;
  for (let slot = 1; slot <= maxUnfinished; slot += 1) {
    const data = { ...withDefaults(input), slot, userId: user.id, tokenId: token?.id ?? null };
    const [made] = await inside.db.export.createManyAndReturn({ data, skipDuplicates: true });
    if (made) return made.id;
  }
  throw new TooManyUnfinishedError('exports', maxUnfinished, retryAfter);
}

builder.mutationFields((t) => ({
  createExport: t.prismaField({
    type: Export,
    description: `Has a job write a file of the books, as they are when it is written. A tenant has at most ${maxUnfinished} unfinished ones. Needs the abilities to read what is exported as well, until its end.`,
    ability: 'exports:write',
    args: { input: t.arg({ type: CreateExportInput, required: true }) },
    rules: ({ input }, context, problems) => {
      if (!input?.type) return;
      requireAbilities(context, abilitiesToExport({ ...input, type: input.type }));
      checkFields({ ...input, type: input.type }, problems);
    },
    resolve: async (query, _root, { input }, context) => {
      const id = await context.transaction((inside) => insertIntoSlot(inside, input));
      return findById(context, 'Export', id, query);
    },
  }),

  cancelExport: t.prismaField({
    type: Export,
    description: 'Ends an export. It then has no file.',
    ability: 'exports:write',
    args: idArgument,
    resolve: (query, _root, { id }, context) =>
      context.transaction(async (inside) => {
        const row = await found(inside.db.lock('Export', id, 'no key update'));
        if (!allows(transitions.Export.cancel, row.status)) refuse('status', 'wrong_state', 'Has ended already.');
        await finish(inside, row, { status: 'CANCELLED' });
        return found(inside.db.model('Export').findUnique({ ...query, where: key(inside, id) }));
      }),
  }),
}));
