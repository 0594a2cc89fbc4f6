import { makeSampleAnchor } from '../../anchors/sample.ts';
import { randomUUID } from 'node:crypto';
import { isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { observeStatements } from '../../../prisma/connection/connection.ts';
import { resources } from '../../../schema/resource-list.ts';
import { toSchema } from '../../../schema/index.ts';
import { createToken } from '../../../src/identity/index.ts';
import { asIntegrator, startService, type Integrator, type Service } from '../../harness.ts';
import { isOverhead } from '../../isolation/statements.ts';
import { makeEach, samples } from '../../resources.ts';
import {
  item,
  makeCompany,
  makeCreditNote,
  makeCustomer,
  makeDelivery,
  makeInvoice,
  makeBankStatement,
  makePayment,
  makeReceipt,
} from '../books.ts';

const types = Object.values(toSchema().getTypeMap()).filter(isObjectType);
const nodeTypes = types.filter((type) => type.getInterfaces().some(({ name }) => name === 'Node'));

let service: Service;
let acme: Integrator;
let globex: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  globex = await service.integrator();
});
afterAll(() => service.close());

/** Makes a row of each type. */
const make: Record<string, (who: Integrator) => Promise<string>> = {
  ...Object.fromEntries(resources.map(({ model }) => [model, (who) => samples[model].make(who)])),
  InvoiceItem: async (who) => {
    const id = await makeInvoice(who, { items: [item] });
    return (await who.graphql(`{ invoice(id: "${id}") { items { id } } }`)).invoice.items[0].id;
  },
  CreditNoteItem: async (who) => {
    const id = await makeCreditNote(who);
    return (await who.graphql(`{ creditNote(id: "${id}") { items { id } } }`)).creditNote.items[0].id;
  },
  Payment: async (who) => makePayment(who, await makeInvoice(who, { status: 'ISSUED' })),
  Company: makeCompany,
  Webhook: async (who) => (await makeDelivery(who)).webhookId,
  Event: async (who) => (await makeDelivery(who)).eventId,
  Delivery: async (who) => (await makeDelivery(who)).id,
  AuditEntry: async (who) => {
    await makeCompany(who);
    return (await who.db.auditEntry.findFirstOrThrow({ orderBy: { id: 'desc' } })).id;
  },
  BulkOperation: (who) => samples.BulkOperation.make(who),
  Export: (who) => samples.Export.make(who),
  Anchor: makeSampleAnchor,
  BankStatement: (who) => makeBankStatement(who),
};

const node = async (who: Integrator, id: string, fields = 'id'): Promise<unknown> =>
  (await who.graphql(`query ($id: ID!) { node(id: $id) { __typename ${fields} } }`, { id })).node;

const withAbilities = async (abilities: string[]): Promise<Integrator> => {
  const { email } = await service.client.user.findUniqueOrThrow({ where: { id: acme.userId } });
  const { token } = await createToken(service.client, { tenantId: acme.tenantId, userEmail: email, abilities });
  return asIntegrator(service, { ...acme, token });
};

describe('every type with an id', () => {
  /** Why a type with an id is no node. */
  const others: Record<string, string> = {
    ApiToken: 'only for sessions; no query by id',
    Attachment: 'found by its receipt’s id, too',
    Change: 'the id is a resource’s',
    Invitation: 'only for sessions; no query by id',
    Match: 'the id is an invoice’s or receipt’s',
    MatchSuggestion: 'the id is an invoice’s or receipt’s',
    PeriodLockCheckItem: 'the id is an invoice’s, credit note’s, receipt’s, or bank transaction’s',
    OpenItem: 'the id is an invoice’s or receipt’s',
    ReportDocument: 'the id is an invoice’s, credit note’s, or receipt’s',
    VatReportDocument: 'the id is an invoice’s, credit note’s, or receipt’s',
    Session: 'only for sessions; no query by id',
    Tenant: 'there is only one, in `me`',
    TestTenant: 'no part of the books of its tenant',
    TestTenantWithToken: 'shown once; no query by id',
    AuditUser: 'belongs to several tenants; no query by id',
    User: 'belongs to several tenants; no query by id',
    WebhookWithSecret: 'shown once; no query by id',
  };
  const withId = types.filter((type) => type.getFields()['id']);

  it('is a node, or has a reason not to be', () => {
    const names = [...nodeTypes.map(({ name }) => name), ...Object.keys(others)];
    expect(withId.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  });

  it('has `id: ID!` if the id is its own, and `resourceId` if not', () => {
    for (const type of withId) {
      const { id, resourceId, nodeId } = type.getFields();
      const isForeign = others[type.name]?.startsWith('the id is') === true;
      expect([type.name, String(id?.type)]).toEqual([type.name, isForeign ? 'UUID!' : 'ID!']);
      if (isForeign) expect(String(resourceId?.type)).toBe('UUID!');
      expect([type.name, nodeId !== undefined]).toEqual([type.name, nodeTypes.includes(type)]);
    }
  });
});

describe.each(nodeTypes.map(({ name }) => name))('%s', (type) => {
  it('is found by its id and its nodeId, in the own tenant only', async () => {
    const id = await make[type]!(acme);
    const found = { __typename: type, id, nodeId: `${type}:${id}` };
    const fields = `id ... on ${type} { nodeId }`;
    expect(await node(acme, id, fields)).toEqual(found);
    expect(await node(acme, id.toUpperCase(), fields)).toEqual(found);
    expect(await node(acme, found.nodeId, fields)).toEqual(found);
    expect([await node(globex, id), await node(globex, found.nodeId)]).toEqual([null, null]);
  });

  it('is null for an unknown id', async () => {
    expect(await node(acme, randomUUID())).toBeNull();
    expect(await node(acme, `${type}:${randomUUID()}`)).toBeNull();
  });

  it('is null with the abilities for all other types', async () => {
    const id = await make[type]!(acme);
    const listed = type === 'BankStatement' ? 'BankAccount' : type;
    const ownScope = resources.find(({ model }) => model === listed)?.scope;
    const scopes = resources.filter(({ scope }) => scope !== ownScope).map(({ scope }) => `${scope}:read`);
    const own = ['Webhook', 'Delivery', 'Event'].includes(type) ? [] : ['webhooks:read'];
    const ofInvoices = ['Payment', 'InvoiceItem', 'CreditNoteItem'].includes(type) ? 'invoices:read' : '';
    const who = await withAbilities([...scopes, ...own].filter((scope) => scope !== ofInvoices));
    expect([await node(who, id), await node(who, `${type}:${id}`)]).toEqual([null, null]);
  });
});

it('ids that no node can have are null', async () => {
  const id = await makeCustomer(acme);
  for (const wrong of ['', 'x', ':', `:${id}`, `Invoice:${id}`, `Nothing:${id}`, `User:${acme.userId}`, acme.tenantId])
    expect([wrong, await node(acme, wrong)]).toEqual([wrong, null]);
});

it('a payment needs the ability of what it settles', async () => {
  const ofInvoice = await makePayment(acme, await makeInvoice(acme, { status: 'ISSUED' }));
  const receipt = await makeReceipt(acme, { status: 'BOOKED' });
  const { payReceipt } = await acme.graphql(`mutation { payReceipt(id: "${receipt}") { payments { nodes { id } } } }`);
  const ofReceipt = payReceipt.payments.nodes[0].id;
  for (const [ability, seen] of [
    ['invoices:read', [{ id: ofInvoice }, null]],
    ['receipts:read', [null, { id: ofReceipt }]],
  ] as const) {
    const who = await withAbilities([ability]);
    expect(
      (await who.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: [ofInvoice, ofReceipt] })).nodes,
    ).toEqual(seen);
  }
});

it('an event and its deliveries need the ability of their resource, a deleted webhook is null', async () => {
  const customer = await makeCustomer(acme);
  const { id: event } = await acme.db.event.findFirstOrThrow({ where: { resourceId: customer } });
  const { webhookId } = await makeDelivery(acme);
  const { id: delivery } = await acme.db.delivery.create({
    data: { webhookId, eventId: event, kind: 'EVENT', state: 'DELIVERED', finishedAt: new Date() },
  });
  const who = await withAbilities(['webhooks:read']);
  expect([await node(who, event), await node(who, delivery)]).toEqual([null, null]);
  expect(await node(acme, delivery, '... on Delivery { event { id } }')).toMatchObject({ event: { id: event } });
  await acme.graphql(`mutation { deleteWebhook(id: "${webhookId}") { id } }`);
  expect(await node(acme, webhookId)).toBeNull();
});

describe('nodes', () => {
  const query = `query ($ids: [ID!]!) { nodes(ids: $ids) {
    __typename id
    ... on Invoice { status customer { companyName } items { title } }
    ... on Customer { companyName invoices(first: 2) { totalCount nodes { id } } }
  } }`;

  it('answers in the order of the ids, null for what is missing, the same twice', async () => {
    const customerId = await makeCustomer(acme, { companyName: 'Initech' });
    const invoice = await makeInvoice(acme, { customerId });
    const foreign = await makeCustomer(globex);
    const { nodes } = await acme.graphql(query, {
      ids: [`Invoice:${invoice}`, foreign, customerId, 'nothing', invoice, `Invoice:${customerId}`],
    });
    const expected = {
      __typename: 'Invoice',
      id: invoice,
      status: 'DRAFT',
      customer: { companyName: 'Initech' },
      items: [{ title: item.title }],
    };
    const customer = {
      __typename: 'Customer',
      id: customerId,
      companyName: 'Initech',
      invoices: { totalCount: 1, nodes: [{ id: invoice }] },
    };
    expect(nodes).toEqual([expected, null, customer, null, expected, null]);
  });

  it('sends as many statements for 100 ids as for few', async () => {
    const customerId = await makeCustomer(acme);
    const ids = [];
    for (let count = 0; count < 20; count += 1)
      ids.push(await makeInvoice(acme, { customerId }), await makeCustomer(acme));
    const counts = [];
    for (const some of [ids.slice(0, 4), ids]) {
      let count = 0;
      const stop = observeStatements(({ text }) => void (/api_tokens/.test(text) || isOverhead(text) || (count += 1)));
      expect((await acme.graphql(query, { ids: some })).nodes).toHaveLength(some.length);
      stop();
      counts.push(count);
    }
    expect(counts[1]).toBe(counts[0]);
  });

  it('takes at most 100 ids, and its cost grows with them', async () => {
    const ids = Array.from({ length: 101 }, () => randomUUID());
    const refused = await acme.graphqlAnswer(query, { ids });
    expect(refused.body.errors[0].extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: { ids: ['Must have 0 to 100 ids.'] },
    });
    const costly =
      'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Customer { invoices(first: 100) { nodes { id number } } } } }';
    expect((await acme.graphqlAnswer(costly, { ids: ids.slice(0, 5) })).body.errors).toBeUndefined();
    const tooCostly = await acme.graphqlAnswer(costly, { ids: ids.slice(0, 100) });
    expect(tooCostly.body.errors[0]).toMatchObject({ extensions: { code: 'TOO_COSTLY' } });
    expect(tooCostly.body.errors[0].message).toContain('values to answer');
  });

  it('answers every resource beside today’s fields', async () => {
    const fresh = await service.integrator();
    await makeEach(fresh);
    const { changes } = await fresh.graphql('{ changes { nodes { id resourceId data { __typename } } } }');
    const changed = changes.nodes as { id: string; resourceId: string; data: object }[];
    const { nodes } = await fresh.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }', {
      ids: changed.map(({ resourceId }) => resourceId),
    });
    expect(nodes).toEqual(changed.map(({ id, data }) => ({ id, ...data })));
  });
});

it('variables for an id may still be of the type UUID', async () => {
  const id = await makeCustomer(acme);
  expect(await acme.graphql('query ($id: UUID!) { customer(id: $id) { id } }', { id })).toEqual({ customer: { id } });
});
