import { ProjectStatus, Project } from './type.ts';
import { projectRules, projectReferences } from './rules.ts';
import { requiredText, text, decimal, currency, notNull, given } from '../../graphql/input/validators.ts';
import { type InputFields, builder } from '../../graphql/builder.ts';
import { insertNew } from '../../rows/insert-new.ts';
import { newOwnFields, ownFields } from '../../graphql/input/own-fields.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { expectedVersionArgument } from '../../graphql/input/expected-version.ts';
import { changeRow, deleteRow } from '../../rows/change-row.ts';

const name = requiredText(255);

const optionalFields = (t: InputFields) => ({
  customerId: t.field({ type: 'UUID' }),
  description: t.string({ validate: text(2000) }),
  hourlyRateNet: t.field({ type: 'Decimal', validate: decimal({ decimals: 4, min: 0 }) }),
  budgetHours: t.field({ type: 'Decimal', validate: decimal({ decimals: 4, min: 0 }) }),
  startDate: t.field({ type: 'Date' }),
  endDate: t.field({ type: 'Date' }),
});

export const CreateProjectInput = builder.inputType('CreateProjectInput', {
  description: 'A new project.',
  fields: (t) => ({
    name: t.string({ required: true, validate: name }),
    currency: t.string({ description: "ISO 4217. Default: the tenant's.", validate: currency }),
    status: t.field({ type: ProjectStatus, description: 'Default: active.' }),
    ...optionalFields(t),
    ...newOwnFields(t),
  }),
});

export const UpdateProjectInput = builder.inputType('UpdateProjectInput', {
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
    ...ownFields(t),
  }),
});

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
