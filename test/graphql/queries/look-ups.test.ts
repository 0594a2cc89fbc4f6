import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toSchema } from '../../../schema/index.ts';
import { createToken } from '../../../src/identity/index.ts';
import { asIntegrator, startService, type Integrator, type Service } from '../../harness.ts';
import { unknownId } from '../../rest/samples.ts';
import { makeCustomer } from '../books.ts';
import { argumentsFor, buildSelection, takesId, type SchemaField } from '../questions.ts';

// A look-up by an id that fails is null beside its error, and the rest of its document is answered.

let service: Service;
let acme: Integrator;
/** May read nothing that has an id. */
let stranger: Integrator;
let user: { email: string };

/** The executors that resolved `me`, in order. */
const by: ('yoga' | 'compiled')[] = [];

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  const { token, id: tokenId } = await createToken(service.client, {
    tenantId: acme.tenantId,
    abilities: ['company:read'],
  });
  stranger = asIntegrator(service, { ...acme, token, tokenId });
  user = await service.client.user.findUniqueOrThrow({ where: { id: acme.userId }, select: { email: true } });
  const me = service.domain.schema.getQueryType()?.getFields()['me'];
  if (!me) throw new Error('There is no `me`');
  const { resolve } = me;
  me.resolve = (parent, args, context, info) => {
    by.push('params' in context ? 'yoga' : 'compiled'); // Yoga adds the request's parameters to the context
    return resolve?.(parent, args, context, info);
  };
  // Other files' services have the same schema.
  return () => void (me.resolve = resolve);
});
afterAll(() => service.close());

const lookUps = Object.values(toSchema().getQueryType()?.getFields() ?? {}).filter(takesId);

/** Which of a supplier's receipts have a number: none, of an unknown supplier. */
const filters = new Set(['receiptNumberWarnings']);

/** A document with a look-up of no row beside `me`, and its variables. Each operation name makes another document. */
function beside(field: SchemaField, operation: string): [query: string, variables: object] {
  const required = new Set(field.args.filter(({ type }) => String(type) === 'UUID!').map(({ name }) => name));
  const variables = argumentsFor(field.args, ([arg = '']) => (required.has(arg) ? unknownId : undefined));
  const given = field.args.filter(({ name }) => name in variables);
  const declared = given.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ');
  const passed = given.map(({ name }) => `${name}: $${name}`).join(', ');
  return [
    `query ${operation}(${declared}) { me { user { email } } ${field.name}(${passed}) ${buildSelection(field.type)} }`,
    variables,
  ];
}

/** Sends a document until it is compiled, and once more, and expects each time this error in the place of the field. */
async function expectRefused(who: Integrator, field: SchemaField, error: { message: string; code: string }) {
  const document = beside(field, error.code);
  by.length = 0;
  for (let sent = 0; sent < 4; sent++) {
    const { status, body } = await who.graphqlAnswer(...document);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        data: { me: { user }, [field.name]: null },
        errors: [
          {
            message: error.message,
            locations: expect.anything(),
            path: [field.name],
            extensions: { code: error.code },
          },
        ],
      },
    });
  }
  expect(by).toEqual(['yoga', 'yoga', 'yoga', 'compiled', 'yoga']);
}

describe('beside `me`', () => {
  it.each(lookUps.filter(({ name }) => !filters.has(name)))(
    '$name of an unknown id is null, with the error NOT_FOUND',
    (field) => expectRefused(acme, field, { message: 'Not found.', code: 'NOT_FOUND' }),
  );

  it.each(lookUps)('$name without the ability for it is null, with the error FORBIDDEN', (field) =>
    expectRefused(stranger, field, {
      message: expect.stringMatching(/^This token lacks the ability [a-z-]+:read\.$/),
      code: 'FORBIDDEN',
    }),
  );

  it('a look-up that succeeds is answered, beside one that fails', async () => {
    const id = await makeCustomer(acme);
    const { body } = await acme.graphqlAnswer(
      `{ found: customer(id: "${id}") { id } missing: customer(id: "${unknownId}") { id } }`,
    );
    expect(body).toMatchObject({
      data: { found: { id }, missing: null },
      errors: [{ path: ['missing'], extensions: { code: 'NOT_FOUND' } }],
    });
  });
});
