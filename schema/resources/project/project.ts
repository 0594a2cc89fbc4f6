import type {
  ProjectStatus as ProjectStatuses,
  Prisma,
  Project as ProjectRow,
} from '../../../prisma/generated/client/client.ts';
import { builder, type InputFields } from '../../graphql/builder.ts';
import { Node } from '../../graphql/node.ts';
import type { Readable } from '../../graphql/plugins/authorization-and-validation.ts';
import type { Context } from '../../graphql/context.ts';
import type { Problems } from '../../errors.ts';
import { currency, decimal, given, notNull, requiredText, text } from '../../graphql/input/validators.ts';
import { batchPerRequest } from '../../../prisma/batching.ts';
import { changeRow, deleteRow } from '../../rows/change-row.ts';
import { byText, orderType } from '../../graphql/paging/order.ts';
import { readPage } from '../../graphql/paging/page.ts';
import { requireExisting } from '../../graphql/input/references.ts';
import { joinConditions, containing, searchText, wordsIn } from '../../graphql/filters/search.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { insertNew } from '../../rows/insert-new.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { byExternalId, externalIdArgument } from '../../graphql/filters/external-id.ts';
import { expectedVersionArgument } from '../../graphql/input/expected-version.ts';
import { updatedSince, updatedSinceArgument } from '../../graphql/filters/updated-since.ts';

const ProjectStatus = builder.enumType('ProjectStatus', {
  description: 'The state of a project. It can be changed freely, and time can be tracked in every state.',
  values: {
    ACTIVE: { description: 'Work is in progress.' },
    COMPLETED: { description: 'The work is done.' },
    ARCHIVED: { description: 'Put away; kept for reference.' },
  } satisfies Record<ProjectStatuses, object>,
});

const trackedMinutes = batchPerRequest(async (ids, context: Context) => {
  const sums = await context.db.timeEntry.groupBy({
    by: 'projectId',
    where: { projectId: { in: ids } },
    _sum: { durationMinutes: true },
  });
  return new Map(sums.map((sum) => [sum.projectId, sum._sum.durationMinutes ?? 0]));
}, 0);

/** Unbilled time entries. */
export const unbilled = { billable: true, invoiceId: null } as const;

const unbilledMinutes = batchPerRequest(async (ids, context: Context) => {
  const sums = await context.db.timeEntry.groupBy({
    by: 'projectId',
    where: { projectId: { in: ids }, ...unbilled },
    _sum: { durationMinutes: true },
  });
  return new Map(sums.map((sum) => [sum.projectId, sum._sum.durationMinutes ?? 0]));
}, 0);

export const Project = builder.prismaObject('Project', {
  interfaces: [Node],
  example: {
    name: 'New shop',
    description: 'Design of the new shop pages',
    hourlyRateNet: '95',
    currency: 'EUR',
    budgetHours: '40',
    startDate: '2026-01-01',
    endDate: '2026-03-31',
    trackedMinutes: 480,
    externalId: null,
  },
  fields: (t) => ({
    id: t.exposeID('id'),
    customerId: t.expose('customerId', { type: 'UUID', nullable: true }),
    customer: t.relation('customer', { ability: 'customers:read', nullable: true }),
    name: t.exposeString('name'),
    description: t.exposeString('description', { nullable: true }),
    status: t.expose('status', { type: ProjectStatus }),
    hourlyRateNet: t.expose('hourlyRateNet', { type: 'Decimal', nullable: true }),
    currency: t.exposeString('currency'),
    budgetHours: t.expose('budgetHours', { type: 'Decimal', nullable: true }),
    startDate: t.expose('startDate', { type: 'Date', nullable: true }),
    endDate: t.expose('endDate', { type: 'Date', nullable: true }),
    trackedMinutes: t.int({
      description: "The sum of the project's time entries, in minutes.",
      select: { id: true },
      resolve: ({ id }, _args, context) => trackedMinutes(id, context),
    }),
    unbilledMinutes: t.int({
      description: "The sum of the project's billable time entries that no invoice bills, in minutes.",
      ability: 'time-entries:read',
      select: { id: true },
      resolve: ({ id }, _args, context) => unbilledMinutes(id, context),
    }),
    externalId: t.exposeString('externalId', { nullable: true }),
    version: t.exposeInt('version', {
      description: 'Grows with every change. A change can expect it: `expectedVersion`.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const ProjectConnection = builder.connectionObject({ type: Project, name: 'ProjectConnection' });

const name = requiredText(255);

const optionalFields = (t: InputFields) => ({
  customerId: t.field({ type: 'UUID' }),
  description: t.string({ validate: text(2000) }),
  hourlyRateNet: t.field({ type: 'Decimal', validate: decimal({ decimals: 4, min: 0 }) }),
  budgetHours: t.field({ type: 'Decimal', validate: decimal({ decimals: 4, min: 0 }) }),
  startDate: t.field({ type: 'Date' }),
  endDate: t.field({ type: 'Date' }),
});

const CreateProjectInput = builder.inputType('CreateProjectInput', {
  description: 'A new project.',
  fields: (t) => ({
    name: t.string({ required: true, validate: name }),
    currency: t.string({ description: "ISO 4217. Default: the tenant's.", validate: currency }),
    status: t.field({ type: ProjectStatus, description: 'Default: active.' }),
    ...optionalFields(t),
  }),
});

const UpdateProjectInput = builder.inputType('UpdateProjectInput', {
  description: 'Only the fields that are present change; null clears a field.',
  fields: (t) => ({
    name: t.string({ validate: name, ...notNull }),
    currency: t.string({
      description: "ISO 4217. It can't change once time is tracked on the project.",
      validate: currency,
      ...notNull,
    }),
    status: t.field({ type: ProjectStatus, ...notNull }),
    ...optionalFields(t),
  }),
});

type ProjectInput = Readable<typeof CreateProjectInput.$inferInput | typeof UpdateProjectInput.$inferInput>;

/** @param current the project that the input changes; nothing for a new one */
async function projectRules(
  input: ProjectInput,
  context: Context,
  problems: Problems,
  current?: ProjectRow,
): Promise<void> {
  requireExisting(context, problems, 'customer', input.customerId);
  const startDate = input.startDate === undefined ? current?.startDate : input.startDate;
  const endDate = input.endDate === undefined ? current?.endDate : input.endDate;
  if (startDate && endDate && endDate < startDate) problems.add('input.endDate', 'Must not be before the start date.');
  if (current && input.currency && input.currency !== current.currency) {
    // Its entries have hourly rates in the project's currency.
    const entry = await context.db.timeEntry.findFirst({ where: { projectId: current.id }, select: { id: true } });
    if (entry) problems.add('input.currency', 'Time is tracked on this project: its currency can not be changed.');
  }
}

/** The entries or receipts that prevent the deletion of a project. */
async function projectReferences(context: Context, problems: Problems, { id }: ProjectRow): Promise<void> {
  const where = { projectId: id };
  if (await context.db.timeEntry.findFirst({ where })) problems.add('id', 'Time entries refer to this project.');
  if (await context.db.receipt.findFirst({ where })) problems.add('id', 'Receipts refer to this project.');
}

const order = orderType('Project', { NAME: byText('name', 'The name.') });

builder.queryFields((t) => ({
  project: t.prismaField({
    type: Project,
    description: 'One project.',
    ability: 'projects:read',
    args: idArgument,
    resolve: (query, _root, { id }, context) => findById(context, 'Project', id, query),
  }),
  projects: t.connection(
    {
      type: Project,
      description: 'The projects, newest first.',
      ability: 'projects:read',
      args: {
        status: t.arg({ type: ProjectStatus, description: 'Only rows in this state.' }),
        customerId: t.arg({ type: 'UUID', description: 'Only projects of this customer.' }),
        q: t.arg.string({ description: `${wordsIn} name.`, validate: searchText }),
        ...externalIdArgument,
        ...updatedSinceArgument,
        orderBy: t.arg({ type: order.input, description: 'Default: newest first.' }),
        offset: t.arg.int(),
      },
      resolve: (_root, args, context, info) => {
        const where: Prisma.ProjectWhereInput = {
          ...byExternalId(args),
          ...updatedSince(args),
          ...(args.status && { status: args.status }),
          ...(args.customerId && { customerId: args.customerId }),
          ...joinConditions(containing(args.q)),
        };
        return readPage({ context, info }, 'Project', args, where, order.columns);
      },
    },
    ProjectConnection,
  ),
}));

builder.mutationFields((t) => ({
  createProject: t.prismaField({
    type: Project,
    description: 'Adds a project.',
    ability: 'projects:write',
    args: { input: t.arg({ type: CreateProjectInput, required: true }) },
    rules: ({ input }, context, problems) => projectRules(input ?? {}, context, problems),
    resolve: async (query, _root, { input }, context) => {
      const status = given(input.status);
      const inCurrency = input.currency ?? context.tenant.defaultCurrency;
      const project = context.db.row('Project', { ...input, status, currency: inCurrency });
      return insertNew(context, 'Project', project, {
        rows: { Project: [project] },
        events: [['project.created', project]],
        query,
      });
    },
  }),

  updateProject: t.prismaField({
    type: Project,
    description: 'Changes a project.',
    ability: 'projects:write',
    args: { ...idArgument, input: t.arg({ type: UpdateProjectInput, required: true }), ...expectedVersionArgument },
    ...changeRow('Project', {
      // Time entries depend on the currency.
      lock: (input) => (input.currency ? 'update' : 'no key update'),
      rules: projectRules,
      data: (input: typeof UpdateProjectInput.$inferInput) => ({
        ...input,
        name: given(input.name),
        currency: given(input.currency),
        status: given(input.status),
      }),
      event: 'project.updated',
    }),
  }),

  deleteProject: t.prismaField({
    type: Project,
    description: 'Deletes a project. Refused while time entries or receipts refer to it.',
    ability: 'projects:write',
    args: { ...idArgument, ...expectedVersionArgument },
    ...deleteRow('Project', { rules: projectReferences, event: 'project.deleted' }),
  }),
}));
