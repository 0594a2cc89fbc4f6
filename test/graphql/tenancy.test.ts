import { randomUUID } from 'node:crypto';
import { buildClientSchema, getIntrospectionQuery, getNamedType, isObjectType, type GraphQLSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checksOf } from '../../schema/plugins/authorization-and-validation.ts';
import { resources } from '../../prisma/client.ts';
import { toSchema } from '../../schema/index.ts';
import { createInvitation, createToken, createUser, startSession } from '../../src/identity/index.ts';
import { startService, type Answer, type Integrator, type Service } from '../harness.ts';
import {
  booksOf,
  makeBankTransaction,
  makeCustomer,
  makeDelivery,
  makeInvoice,
  makePayment,
  makeProject,
  makeReceipt,
  makeTimeEntry,
} from './books.ts';
import { samples } from '../resources.ts';
import { argumentsFor, documentFor, pathsTo, placesOf, type Place } from './questions.ts';

let service: Service;
let acme: Integrator;
let globex: Integrator;

const schema = toSchema();
const places = placesOf(schema);

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  globex = await service.integrator();
});
afterAll(() => service.close());

const someEmail = (): string => `${randomUUID()}@example.com`;
const newSession = ({ userId }: Integrator) =>
  startSession(service.client, { userId, userAgent: null, now: new Date() });

/** What a session alone may ask, asked in one. */
async function askInSession(who: Integrator, query: string, variables: object): Promise<Answer> {
  const { token } = await newSession(who);
  return service.request('POST', '/graphql', { body: { query, variables }, headers: { cookie: `kontor=${token}` } });
}

/** A new row of each kind that an id may name. */
const make: Record<string, (who: Integrator) => Promise<string>> = {
  ...Object.fromEntries(resources.map(({ model }) => [model, (who) => samples[model].make(who)])),
  Supplier: (who) => makeCustomer(who, { type: 'SUPPLIER' }),
  'issued invoice': (who) => makeInvoice(who, { status: 'ISSUED' }),
  'matched transaction': (who) => makeBankTransaction(who, { matchStatus: 'MATCHED', amountOpen: 0 }),
  Payment: async (who) => makePayment(who, await makeInvoice(who, { status: 'ISSUED' })),
  Webhook: async (who) => (await makeDelivery(who)).webhookId,
  Event: async (who) => (await makeDelivery(who)).eventId,
  Delivery: async (who) => (await makeDelivery(who)).id,
  User: async ({ tenantId }) => (await createUser(service.client, { email: someEmail(), tenantId })).id,
  ApiToken: async ({ tenantId, userId }) => {
    const { email } = await service.client.user.findUniqueOrThrow({ where: { id: userId } });
    return (await createToken(service.client, { tenantId, userEmail: email })).id;
  },
  Invitation: async ({ tenantId, userId: inviterId }) => {
    const input = { tenantId, email: someEmail(), inviterId, now: new Date() };
    return (await createInvitation(service.client, input)).invitation.id;
  },
  Session: async (who) => (await newSession(who)).session.id,
};

/** Ids whose names don't say what they name. */
const namedOtherwise: Record<string, string> = {
  'events.resourceId': 'Customer',
  'matchBankTransaction.matches.id': 'issued invoice',
  'pingWebhook.id': 'Webhook',
  'rotateWebhookSecret.id': 'Webhook',
  'unmatchBankTransaction.id': 'matched transaction',
  'unmatchBankTransaction.matched': 'issued invoice',
};

/** What a list narrowed by an id of one's own is to find. */
const narrowedBy: Record<string, (id: string) => Promise<string>> = {
  'invoices.customerId': (customerId) => makeInvoice(acme, { customerId }),
  'projects.customerId': (customerId) => makeProject(acme, { customerId }),
  'receipts.supplierId': (supplierId) => makeReceipt(acme, { supplierId }),
  'timeEntries.projectId': (projectId) => makeTimeEntry(acme, { projectId }),
};

/** The kind of row that the id at this path names: `customerId` a customer, `id` what the field answers. */
function kindOf({ field }: Place, path: string[]): string {
  const name = path.at(-1)!;
  const plain = name === 'id' ? getNamedType(field.type).name : name.charAt(0).toUpperCase() + name.slice(1, -2);
  const kind = namedOtherwise[[field.name, ...path].join('.')] ?? plain;
  if (!(kind in make)) throw new Error(`${field.name}, ${path.join('.')}: tell this test how to make a ${kind}`);
  return kind;
}

/** An id next to this one, that nobody has. */
const unknownLike = (id: string): string => id.slice(0, -1) + (id.endsWith('0') ? '1' : '0');

const idPlaces = places
  .filter(({ operation }) => operation)
  .flatMap((place) =>
    pathsTo('UUID', place.field.args).map((path) => ({ place, path, title: `${place.field.name}(${path.join('.')})` })),
  );

// A subscription's answer is no answer: subscriptions.test.ts tries another tenant's ids on it.
const argumentsOf = (of: GraphQLSchema) =>
  placesOf(of)
    .filter(({ parent }) => parent.name !== 'Subscription')
    .flatMap(({ field }) => pathsTo('UUID', field.args).map((path) => [field.name, ...path].join('.')));

describe('another tenant’s id answers exactly like an unknown id', () => {
  it('covers every argument of introspection', async () => {
    const told: GraphQLSchema = buildClientSchema(await acme.graphql(getIntrospectionQuery()));
    expect(argumentsOf(told).toSorted()).toEqual(
      idPlaces.map(({ place, path }) => [place.field.name, ...path].join('.')).toSorted(),
    );
    expect(idPlaces.length).toBeGreaterThan(30);
  });

  it.each(idPlaces)('$title', async ({ place, path }) => {
    const own = new Map<string, string>();
    for (const other of pathsTo('UUID', place.field.args)) {
      if (other.join('.') !== path.join('.')) own.set(other.join('.'), await make[kindOf(place, other)]!(acme));
    }
    const ask = async (id: string): Promise<Answer> => {
      const args = argumentsFor(place.field.args, (at) => {
        if (at.at(-1) === '…') return path.join('.').startsWith(at.slice(0, -1).join('.'));
        if (at.join('.') === path.join('.')) return isList(place, path) ? [id] : id;
        return pathIsRequired(place, at) ? own.get(at.join('.')) : undefined;
      });
      const { inSession } = checksOf(place.field.extensions['pothosOptions']);
      if (inSession) return askInSession(acme, documentFor(place, args), args);
      return acme.graphqlAnswer(documentFor(place, args), args);
    };
    const foreign = await make[kindOf(place, path)]!(globex);
    const before = [await booksOf(service, globex), await booksOf(service, acme)];
    const [toForeign, toUnknown] = [await ask(foreign), await ask(unknownLike(foreign))];
    expect(toForeign.body).toEqual(toUnknown.body);
    expect(toForeign.status).toBe(toUnknown.status);
    expect(toForeign.text).not.toContain('INTERNAL_SERVER_ERROR');
    expect([await booksOf(service, globex), await booksOf(service, acme)]).toEqual(before);
    // And it is the id that makes the difference: one's own is answered otherwise.
    const mine = await make[kindOf(place, path)]!(acme);
    await narrowedBy[[place.field.name, ...path].join('.')]?.(mine);
    if (path[0] !== 'matched') expect((await ask(mine)).body).not.toEqual(toUnknown.body);
  });
});

function isList({ field }: Place, path: string[]): boolean {
  const argument = field.args.find(({ name }) => name === path[0]);
  return path.length === 1 && String(argument?.type).startsWith('[');
}

/** Optional ids stay out of the way of the one that is asked about. */
const pathIsRequired = ({ field }: Place, path: string[]): boolean =>
  path.length > 1 || String(field.args.find(({ name }) => name === path[0])?.type).endsWith('!');

const cursorPlaces = places
  .filter(({ field }) => field.args.some(({ name }) => name === 'after'))
  .map((place) => ({ place, title: `${place.parent.name}.${place.field.name}` }));

describe('another tenant’s cursor answers exactly like one of an unknown row', () => {
  it.each(cursorPlaces)('$title', async ({ place: { parent, field, operation } }) => {
    const nodeType = getNamedType(field.type).name.replace(/Connection$/, '');
    const list = placesOf(schema).find(
      (each) => each.operation === 'query' && getNamedType(each.field.type).name === getNamedType(field.type).name,
    );
    await make[nodeType]!(acme);
    const foreignId = await make[nodeType]!(globex);
    await make[nodeType]!(acme);
    const theirs = await globex.graphql(`{ list: ${list!.field.name}(first: 1) { edges { cursor node { id } } } }`);
    const [edge] = theirs.list.edges;
    expect(edge.node.id).toBe(foreignId);
    const unknown = Buffer.from(unknownLike(foreignId)).toString('base64url');
    expect(Buffer.from(edge.cursor, 'base64url').toString()).toBe(foreignId);

    const rows =
      'nodes { id } edges { cursor } totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
    const ask = async (args: string): Promise<unknown> => {
      if (operation) return (await acme.graphqlAnswer(`{ ${field.name}(${args}) { ${rows} } }`)).body;
      const id = await parentOf(parent.name);
      const root = parent.name.charAt(0).toLowerCase() + parent.name.slice(1);
      return (await acme.graphqlAnswer(`{ ${root}(id: "${id}") { ${field.name}(${args}) { ${rows} } } }`)).body;
    };
    for (const way of ['after', 'before', 'last: 2, after', 'last: 2, before']) {
      const answer = await ask(`${way}: "${edge.cursor}"`);
      expect(answer).toEqual(await ask(`${way}: "${unknown}"`));
      expect(answer).not.toHaveProperty('errors');
    }
  });

  const parents = new Map<string, string>();
  async function parentOf(type: string): Promise<string> {
    const id = parents.get(type) ?? (await make[type]!(acme));
    parents.set(type, id);
    return id;
  }
});

it('nothing of another tenant is in any list or count', async () => {
  const lists = places.filter(
    ({ field, operation }) => operation === 'query' && field.args.some(({ name }) => name === 'after'),
  );
  const fresh = await service.integrator();
  for (const { field } of lists) {
    expect(await fresh.graphql(`{ list: ${field.name} { totalCount nodes { id } } }`)).toEqual({
      list: { totalCount: 0, nodes: [] },
    });
  }
});

it('no type has a field for the tenant of a row', () => {
  for (const { parent, field } of places) {
    expect(`${parent.name}.${field.name}`).not.toMatch(/tenantId/i);
    if (parent.name !== 'Profile')
      expect(isObjectType(getNamedType(field.type)) && getNamedType(field.type).name).not.toBe('Tenant');
  }
});
