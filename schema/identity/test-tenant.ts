import { builder } from '../graphql/builder.ts';
import { found } from '../errors/errors.ts';
import type { Context } from '../graphql/context.ts';
import type { NewTestTenant, TestTenant as TestTenantRow } from '../graphql/identity.ts';
import { idArgument } from '../graphql/input/id-argument.ts';
import { requiredText } from '../graphql/input/validators.ts';

export const TestTenant = builder.objectRef<TestTenantRow>('TestTenant').implement({
  description: 'A tenant to test in: it belongs to another tenant, and its books are of no business.',
  example: { name: 'Kontor Studio (test)' },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id.' }),
    name: t.exposeString('name', { description: 'The name.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
  }),
});

const TestTenantWithToken = builder.objectRef<TestTenantRow & { token: string }>('TestTenantWithToken').implement({
  description: 'A test tenant, and a token for it, which is shown only once.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id.' }),
    name: t.exposeString('name', { description: 'The name.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    token: t.exposeString('token', { description: 'An API token of the user for it, with all abilities.' }),
  }),
});

const TestTenants = builder.objectRef<TestTenantRow[]>('TestTenantList').implement({
  description: "The tenant's test tenants.",
  fields: (t) => ({
    items: t.field({
      type: [TestTenant],
      description: 'Oldest first.',
      ability: 'test-tenants:read',
      resolve: (items) => items,
    }),
  }),
});

const CreateTestTenantInput = builder.inputType('CreateTestTenantInput', {
  description: 'A new test tenant.',
  example: { name: 'Kontor Studio (test)' },
  fields: (t) => ({
    name: t.string({ description: 'A name for it.', required: true, validate: requiredText(255) }),
  }),
});

builder.queryFields((t) => ({
  testTenants: t.field({
    type: TestTenants,
    description: "The tenant's test tenants.",
    ability: 'test-tenants:read',
    resolve: (_root, _args, context) => context.identity.testTenants(context),
  }),
  testTenant: t.field({
    type: TestTenant,
    nullable: true,
    description: "One of the tenant's test tenants.",
    ability: 'test-tenants:read',
    args: idArgument,
    resolve: (_root, { id }, context) =>
      found(context.identity.testTenants(context).then((all) => all.find((each) => each.id === id) ?? null)),
  }),
}));

/** The company profile with its logo, for a copy. */
async function findProfile({ db }: Context): Promise<NewTestTenant['profile']> {
  const company = await db.company.findFirst();
  if (!company) return null;
  const logo = company.logoId === null ? null : await db.companyLogo.findFirst({ where: { id: company.logoId } });
  return { company, logo };
}

// Their transactions are not those of the tenant's books.
const extensions = { hasOwnTransaction: true, commitsAlone: true };

builder.mutationFields((t) => ({
  createTestTenant: t.field({
    type: TestTenantWithToken,
    description:
      'Makes a test tenant with the user as its member, and a copy of the company profile if the token may read that. A tenant can have 5.',
    ability: 'test-tenants:write',
    extensions,
    args: { input: t.arg({ type: CreateTestTenantInput, required: true }) },
    resolve: async (_root, { input: { name } }, context) => {
      const profile = context.may('company:read') ? await findProfile(context) : null;
      const { testTenant, value: token } = await context.identity.createTestTenant(context, { name, profile });
      // A stored response is replayed only to the token that made the test tenant.
      context.markPersonal();
      return { ...testTenant, token };
    },
  }),

  resetTestTenant: t.field({
    type: TestTenant,
    description:
      'Deletes the books of a test tenant at once, with its webhooks, events, and files, and sets its clock back to now. Its company profile, members, and tokens stay. With a token of the test tenant, its own id.',
    ability: 'test-tenants:write',
    extensions,
    args: idArgument,
    resolve: (_root, { id }, context) => found(context.identity.resetTestTenant(context, id)),
  }),

  deleteTestTenant: t.field({
    type: TestTenant,
    description: "Deletes one of the tenant's test tenants at once, with everything that belongs to it.",
    ability: 'test-tenants:write',
    extensions,
    args: idArgument,
    resolve: (_root, { id }, context) => found(context.identity.deleteTestTenant(context, id)),
  }),
}));
