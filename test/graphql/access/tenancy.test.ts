import { randomUUID } from 'node:crypto';
import { buildClientSchema, getIntrospectionQuery, getNamedType, isObjectType, type GraphQLSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getChecks } from '../../../schema/graphql/plugins/authorization-and-validation.ts';
import { resources } from '../../../schema/resources.ts';
import { toSchema } from '../../../schema/index.ts';
import { createInvitation, createToken, createUser, startSession } from '../../../src/identity/index.ts';
import { startService, type Answer, type Integrator, type Service } from '../../harness.ts';
import {
  readBooks,
  makeBankTransaction,
  makeCreditNote,
  makeCustomer,
  makeDelivery,
  makeInvoice,
  makePayment,
  makeProject,
  makeReceipt,
  makeTimeEntry,
} from '../books.ts';
import { samples } from '../../resources.ts';
import { argumentsFor, documentFor, pathsTo, listPlaces, type Place } from '../questions.ts';

let service: Service;
let acme: Integrator;
let globex: Integrator;

const schema = toSchema();
const places = listPlaces(schema);

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  globex = await service.integrator();
});
afterAll(() => service.close());

const someEmail = (): string => `${randomUUID()}@example.com`;
const newSession = ({ userId }: Integrator) =>
  startSession(service.client, { userId, userAgent: null, now: new Date() });

/** Sends a query that requires a session, in one. */
async function sendInSession(who: Integrator, query: string, variables: object): Promise<Answer> {
  const { token } = await newSession(who);
  return service.request('POST', '/graphql', { body: { query, variables }, headers: { cookie: `kontor=${token}` } });
}

/** Creates a row of each kind that has an id. */
const make: Record<string, (who: Integrator) => Promise<string>> = {
  ...Object.fromEntries(resources.map(({ model }) => [model, (who) => samples[model].make(who)])),
  Supplier: (who) => makeCustomer(who, { type: 'SUPPLIER' }),
  'issued invoice': (who) => makeInvoice(who, { status: 'ISSUED' }),
  'matched transaction': (who) => makeBankTransaction(who, { matchStatus: 'MATCHED', amountOpen: 0 }),
  InvoiceItem: async (who) => {
    const { invoice } = await who.graphql(`{ invoice(id: "${await makeInvoice(who)}") { items { id } } }`);
    return invoice.items[0].id;
  },
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

/** The kinds of ids with other names. */
const namedOtherwise: Record<string, string> = {
  'createCreditNote.input.invoiceId': 'issued invoice',
  'creditNotePdf.id': 'CreditNote',
  'creditNoteXml.id': 'CreditNote',
  'creditNotes.invoiceId': 'issued invoice',
  'events.resourceId': 'Customer',
  'matchBankTransaction.matches.id': 'issued invoice',
  'invoicePdf.id': 'Invoice',
  'invoicePreflight.id': 'Invoice',
  'invoiceXml.id': 'issued invoice',
  'pingWebhook.id': 'Webhook',
  'rotateWebhookSecret.id': 'Webhook',
  'unmatchBankTransaction.id': 'matched transaction',
  'unmatchBankTransaction.matched': 'issued invoice',
};

/** The text that argumentsFor() gives. */
const sampleText = 'https://example.com/hook';

/** Creates a row that a list finds by an own id. */
const narrowedBy: Record<string, (id: string) => Promise<string>> = {
  'creditNotes.invoiceId': (invoiceId) => makeCreditNote(acme, { invoiceId }),
  'creditNotes.customerId': async (customerId) =>
    makeCreditNote(acme, { invoiceId: await makeInvoice(acme, { customerId, status: 'ISSUED' }) }),
  'invoices.customerId': (customerId) => makeInvoice(acme, { customerId }),
  'projects.customerId': (customerId) => makeProject(acme, { customerId }),
  'receiptNumberWarnings.supplierId': (supplierId) => makeReceipt(acme, { supplierId, receiptNumber: sampleText }),
  'receipts.supplierId': (supplierId) => makeReceipt(acme, { supplierId }),
  'timeEntries.projectId': (projectId) => makeTimeEntry(acme, { projectId }),
};

/** Ids that must belong to the row of another id: an own one of another row is answered like an unknown one. */
const belonging = new Set([
  'unmatchBankTransaction.matched',
  'receiptNumberWarnings.receiptId',
  'createCreditNote.input.items.invoiceItemId',
  'creditNotePreview.input.items.invoiceItemId',
]);

/** The kind of row of the id at this path: a customer for `customerId`, the field's type for `id`. */
function kindOf({ field }: Place, path: string[]): string {
  const name = path.at(-1)!;
  const plain = name === 'id' ? getNamedType(field.type).name : name.charAt(0).toUpperCase() + name.slice(1, -2);
  const kind = namedOtherwise[[field.name, ...path].join('.')] ?? plain;
  if (!(kind in make)) throw new Error(`${field.name}, ${path.join('.')}: tell this test how to make a ${kind}`);
  return kind;
}

/** An id of no row, similar to this one. */
const unknownLike = (id: string): string => id.slice(0, -1) + (id.endsWith('0') ? '1' : '0');

const idPlaces = places
  .filter(({ operation }) => operation)
  .flatMap((place) =>
    pathsTo('UUID', place.field.args).map((path) => ({ place, path, title: `${place.field.name}(${path.join('.')})` })),
  );

// A subscription has no single answer: subscriptions.test.ts tests it with another tenant's ids.
const argumentsOf = (of: GraphQLSchema) =>
  listPlaces(of)
    .filter(({ parent }) => parent.name !== 'Subscription')
    .flatMap(({ field }) => pathsTo('UUID', field.args).map((path) => [field.name, ...path].join('.')));

describe('another tenant’s id is answered exactly like an unknown id', () => {
  it('for every id argument of the schema', async () => {
    const introspected: GraphQLSchema = buildClientSchema(await acme.graphql(getIntrospectionQuery()));
    expect(argumentsOf(introspected).toSorted()).toEqual(
      idPlaces.map(({ place, path }) => [place.field.name, ...path].join('.')).toSorted(),
    );
    expect(idPlaces.length).toBeGreaterThan(30);
  });

  it.each(idPlaces)('$title', async ({ place, path }) => {
    const own = new Map<string, string>();
    for (const other of pathsTo('UUID', place.field.args)) {
      if (other.join('.') !== path.join('.')) own.set(other.join('.'), await make[kindOf(place, other)]!(acme));
    }
    const send = async (id: string): Promise<Answer> => {
      const args = argumentsFor(place.field.args, (at) => {
        if (at.at(-1) === '…') return path.join('.').startsWith(at.slice(0, -1).join('.'));
        if (at.join('.') === path.join('.')) return isList(place, path) ? [id] : id;
        return pathIsRequired(place, at) ? own.get(at.join('.')) : undefined;
      });
      const { inSession } = getChecks(place.field.extensions['pothosOptions']);
      if (inSession) return sendInSession(acme, documentFor(place, args), args);
      return acme.graphqlAnswer(documentFor(place, args), args);
    };
    const foreign = await make[kindOf(place, path)]!(globex);
    const before = [await readBooks(service, globex), await readBooks(service, acme)];
    const [toForeign, toUnknown] = [await send(foreign), await send(unknownLike(foreign))];
    expect(toForeign.body).toEqual(toUnknown.body);
    expect(toForeign.status).toBe(toUnknown.status);
    expect(toForeign.text).not.toContain('INTERNAL_SERVER_ERROR');
    expect([await readBooks(service, globex), await readBooks(service, acme)]).toEqual(before);
    // The id makes the difference: an own one is answered differently.
    const mine = await make[kindOf(place, path)]!(acme);
    const name = [place.field.name, ...path].join('.');
    await narrowedBy[name]?.(mine);
    if (!belonging.has(name)) expect((await send(mine)).body).not.toEqual(toUnknown.body);
  });
});

function isList({ field }: Place, path: string[]): boolean {
  const argument = field.args.find(({ name }) => name === path[0]);
  return path.length === 1 && String(argument?.type).startsWith('[');
}

/** Optional ids are omitted, so that they don't affect the tested one. */
const pathIsRequired = ({ field }: Place, path: string[]): boolean =>
  path.length > 1 || String(field.args.find(({ name }) => name === path[0])?.type).endsWith('!');

const cursorPlaces = places
  .filter(({ field }) => field.args.some(({ name }) => name === 'after'))
  .map((place) => ({ place, title: `${place.parent.name}.${place.field.name}` }));

describe('another tenant’s cursor is answered exactly like one of an unknown row', () => {
  it.each(cursorPlaces)('$title', async ({ place: { parent, field, operation } }) => {
    const nodeType = getNamedType(field.type).name.replace(/Connection$/, '');
    const list = listPlaces(schema).find(
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
    const send = async (args: string): Promise<unknown> => {
      if (operation) return (await acme.graphqlAnswer(`{ ${field.name}(${args}) { ${rows} } }`)).body;
      const id = await parentOf(parent.name);
      const root = parent.name.charAt(0).toLowerCase() + parent.name.slice(1);
      return (await acme.graphqlAnswer(`{ ${root}(id: "${id}") { ${field.name}(${args}) { ${rows} } } }`)).body;
    };
    for (const way of ['after', 'before', 'last: 2, after', 'last: 2, before']) {
      const answer = await send(`${way}: "${edge.cursor}"`);
      expect(answer).toEqual(await send(`${way}: "${unknown}"`));
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

it('no list and no count has rows of another tenant', async () => {
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
