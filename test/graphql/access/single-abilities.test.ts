import { getNamedType, isLeafType, isObjectType, isRequiredArgument, type GraphQLObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { abilities as everything, abilityScopes, type AbilityScope } from '../../../schema/graphql/ability.ts';
import { eventTypes, findResource } from '../../../schema/events/events.ts';
import { eventResources, resources } from '../../../schema/resource-list.ts';
import { planDeliveries } from '../../../schema/resources/delivery/attempts.ts';
import { toSchema } from '../../../schema/index.ts';
import { createToken } from '../../../src/identity/index.ts';
import { asIntegrator, startService, type Integrator, type Service } from '../../harness.ts';
import {
  makeBankTransaction,
  makeCompany,
  makeCustomer,
  makeInvoice,
  makeProject,
  makeReceipt,
  makeTimeEntry,
  refusal,
} from '../books.ts';
import { makeSampleAnchor } from '../../anchors/sample.ts';
import { samples } from '../../resources.ts';
import { makeTestTenant } from '../../test-tenants/make.ts';
import { argumentsFor, documentFor } from '../questions.ts';

// A token with one ability can read no other resource. Each resource is seeded with unique texts and numbers, and every
// answer is searched for them.

const texts = Object.fromEntries(abilityScopes.map((scope) => [scope, `z${scope}z`])) as Record<AbilityScope, string>;
const figures: Partial<Record<AbilityScope, string[]>> = {
  invoices: ['1231.31', '1465.26'],
  receipts: ['78.91'],
  projects: ['93.17'],
  'time-entries': ['777'],
  'bank-transactions': ['4564.56'],
};

/** Fields of their own resource (DECISIONS.md#d20-abilities) that are derived from other rows. */
const own = new Set(['Project.trackedMinutes']);

const schema = toSchema();
let service: Service;
let acme: Integrator;
let ids: Record<string, string>;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  const made = await acme.graphql(
    'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }',
    { input: { url: 'http://127.0.0.1:9/zwebhooksz', description: texts.webhooks } },
  );
  const { tenantId } = acme;
  await service.client.trustedDocument.create({ data: { tenantId, hash: texts.documents, text: '{ me }' } });
  await createToken(service.client, { tenantId, name: texts.audit, abilities: ['read'] });
  await makeCompany(acme, { legalName: texts.company, city: texts.company });
  const customer = await makeCustomer(acme, { companyName: texts.customers, city: texts.customers });
  const supplier = await makeCustomer(acme, { type: 'SUPPLIER', companyName: texts.customers });
  const items = [{ title: texts.invoices, quantity: '1', unitPriceNet: '1231.31', vatRate: '19' }];
  const invoiced = { customerId: customer, subject: texts.invoices, items };
  const invoice = await makeInvoice(acme, { ...invoiced, status: 'ISSUED' });
  const draft = await makeInvoice(acme, invoiced);
  const receipt = await makeReceipt(acme, {
    supplierId: supplier,
    amountGross: '78.91',
    description: texts.receipts,
    status: 'BOOKED',
  });
  const project = await makeProject(acme, { name: texts.projects, customerId: customer, budgetHours: '93.17' });
  const entry = { projectId: project, description: texts['time-entries'], billable: true };
  const timeEntry = await makeTimeEntry(acme, { ...entry, durationMinutes: 777 });
  const bankTransaction = await makeBankTransaction(acme, {
    amount: '4564.56',
    amountOpen: '4564.56',
    reference: texts['bank-transactions'],
    counterpartyName: texts['bank-transactions'],
  });
  const account = await samples.BankAccount.make(acme, { name: texts['bank-transactions'] });
  const events = (await acme.db.event.findMany()).map(({ id }) => id);
  await planDeliveries(acme.db, events, new Date());
  const paid = await acme.db.delivery.findFirstOrThrow({ where: { event: { type: 'invoice.issued' } } });
  ids = {
    User: acme.userId,
    Customer: customer,
    Invoice: invoice,
    InvoiceDraft: draft,
    DocumentFile: draft,
    EInvoiceBreach: draft,
    DocumentProof: invoice,
    Receipt: receipt,
    Project: project,
    TimeEntry: timeEntry,
    BankTransaction: bankTransaction,
    BankBalance: account,
    BankAccount: account,
    BankStatement: await samples.BankStatement.make(acme, { number: texts['bank-transactions'] }),
    Webhook: made.createWebhook.webhook.id,
    Delivery: paid.id,
    Anchor: await makeSampleAnchor(acme, { content: texts.audit }),
    BulkOperation: await samples.BulkOperation.make(acme, { error: texts['bulk-operations'] }),
    Export: await samples.Export.make(acme, { error: texts['exports'] }),
    TestTenant: await makeTestTenant(service, acme, texts['test-tenants']),
  };
  for (const { model, scope } of resources)
    ids[model] ??= await samples[model].make(acme, samples[model].holding(texts[scope]));
});
afterAll(() => service.close());

async function withAbilities(...abilities: string[]): Promise<Integrator> {
  const { token, id: tokenId } = await createToken(service.client, { tenantId: acme.tenantId, abilities });
  return asIntegrator(service, { ...acme, token, tokenId });
}

/** The leaf values of an answer. */
function valuesOf(answer: unknown): string[] {
  if (typeof answer !== 'object' || answer === null) return [String(answer)];
  return Object.values(answer).flatMap(valuesOf);
}

/** The resources of which an answer reveals data. */
const revealedBy = (answer: unknown): AbilityScope[] => {
  const values = valuesOf(answer);
  return abilityScopes.filter((resource) =>
    values.some((value) => value.includes(texts[resource]) || figures[resource]?.includes(value)),
  );
};

interface Finding {
  path: string;
  revealed: AbilityScope[];
}

const deepest = 6;

/**
 * Queries every field below a root field separately, as deep as it is answered, and by each field that leads to its type: how
 * that one loads a row could matter, but not what came before. Of a root field that is refused itself, all leaves are queried at
 * once. @returns revealed resources by path
 */
async function walk(who: Integrator, root: string, args: string, type: GraphQLObjectType): Promise<Finding[]> {
  const findings: Finding[] = [];
  const followed = new Set<string>();
  const query = async (path: string[], inner: string): Promise<boolean> => {
    const selection = path.reduceRight((below, name) => ` { ${name}${below} }`, inner);
    const { body } = await who.graphqlAnswer(`{ answer: ${root}${args}${selection} }`);
    const revealed = revealedBy(body);
    if (revealed.length > 0) findings.push({ path: [root, ...path].join('.') + inner, revealed });
    return body.errors === undefined;
  };
  const visit = async (at: GraphQLObjectType, path: string[], seen: string[]): Promise<void> => {
    const fields = Object.values(at.getFields()).filter(
      (field) => !field.args.some(isRequiredArgument) && !own.has(`${at.name}.${field.name}`),
    );
    const leaves = fields.filter((field) => isLeafType(getNamedType(field.type))).map(({ name }) => name);
    const isAnswered = path.length > 0 || (await query(path, ' { __typename }'));
    if (leaves.length > 0 && !(await query(path, ` { ${leaves.join(' ')} }`)) && isAnswered) {
      for (const leaf of leaves) await query(path, ` { ${leaf} }`);
    }
    if (!isAnswered) return;
    for (const field of fields) {
      const inside = getNamedType(field.type);
      if (!isObjectType(inside) || path.length >= deepest || seen.includes(inside.name)) continue;
      const next = [...path, field.name];
      const step = [path.at(-1) ?? root, at.name, field.name].join('.');
      if (followed.has(step)) continue;
      followed.add(step);
      if (await query(next, ' { __typename }')) await visit(inside, next, [...seen, inside.name]);
    }
  };
  await visit(type, [], [type.name]);
  return findings;
}

/** The arguments of queries that take an input instead of an id. */
const requiredInputs: Record<string, () => string> = {
  creditNotePreview: () => `(input: { invoiceId: "${ids['Invoice']}" })`,
  newInvoiceWarnings: () =>
    `(input: { customerId: "${ids['Customer']}", invoiceDate: "2026-03-01", items: [
      { title: "A", quantity: "1", unitPriceNet: "1", vatRate: "0" }] })`,
  receiptNumberWarnings: () => `(supplierId: "${ids['Customer']}", receiptNumber: "A")`,
  vatProposals: () => `(customerId: "${ids['Customer']}")`,
  attachment: () => `(receiptId: "${ids['Receipt']}", id: "${ids['Receipt']}")`,
  attachments: () => `(receiptId: "${ids['Receipt']}")`,
  periodLockCheck: () => '(until: "2026-12-31")',
  customerCredit: () => `(id: "${ids['Customer']}")`,
  ecSales: () => '(from: "2026-01-01", to: "2026-12-31")',
  ecSalesDocuments: () => '(from: "2026-01-01", to: "2026-12-31", kind: GOODS, currency: "EUR")',
  openItems: () => '(at: "2026-12-31")',
  profitAndLoss: () => '(from: "2026-01-01", to: "2026-12-31")',
  profitAndLossDocuments: () => '(from: "2026-01-01", to: "2026-12-31", kind: REVENUE, currency: "EUR")',
  vatReport: () => '(from: "2026-01-01", to: "2026-12-31")',
  vatReportDocuments: () =>
    '(from: "2026-01-01", to: "2026-12-31", kind: OUTPUT, vatCategory: "S", vatRate: "19", currency: "EUR")',
};

const single = everything.map((ability) => ({ ability, resource: ability.split(':')[0] as AbilityScope }));

describe('a token with one ability', () => {
  it.each(single)(
    '$ability: no query shows another resource',
    async ({ ability, resource }) => {
      const who = await withAbilities(ability);
      const findings: Finding[] = [];
      for (const field of Object.values(schema.getQueryType()!.getFields())) {
        const type = getNamedType(field.type);
        if (!isObjectType(type) || field.name === 'invoiceTotals') continue; // calculated from its arguments only
        const id = ids[type.name];
        const byId = id ? `(id: "${id}")` : requiredInputs[field.name]?.();
        const args = field.args.some(isRequiredArgument) ? byId : '';
        expect(args, `an id for ${field.name}`).toBeDefined();
        findings.push(...(await walk(who, field.name, args ?? '', type)));
      }
      expect(findings.filter(({ revealed }) => revealed.some((each) => each !== resource))).toEqual([]);
      const shown = findings.flatMap(({ revealed }) => revealed);
      expect(new Set(shown)).toEqual(new Set(ability.endsWith(':read') ? [resource] : []));
    },
    120_000,
  );
});

describe('a webhook shows the data of its events, so that it', () => {
  it('is managed in no way by a token that may not read them', async () => {
    const made = await acme.graphql(
      'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }',
      { input: { url: 'http://127.0.0.1:9/', events: ['invoice.paid', 'customer.created'] } },
    );
    const { id } = made.createWebhook.webhook;
    const who = await withAbilities('webhooks:write', 'webhooks:read', 'customers:read');
    const reader = await withAbilities('webhooks:write', 'webhooks:read', 'customers:read', 'invoices:read');
    const ways = [
      'rotateWebhookSecret(id: $id) { webhook { id } }',
      'updateWebhook(id: $id, input: { description: "x" }) { id }',
      'updateWebhook(id: $id, input: { active: false }) { id }',
      'updateWebhook(id: $id, input: { events: ["customer.created"] }) { id }',
      'enableWebhook(id: $id) { id }',
      'pingWebhook(id: $id) { id }',
      'redeliverMissed(webhookId: $id, since: "2020-01-01T00:00:00Z")',
      'deleteWebhook(id: $id) { id }',
    ];
    const before = await acme.db.webhook.findMany({ where: { id } });
    for (const way of ways) {
      const { body } = await who.graphqlAnswer(`mutation ($id: UUID!) { ${way} }`, { id });
      expect([way, body.errors?.[0]]).toEqual([
        way,
        expect.objectContaining({
          message: expect.stringContaining('invoices:read'),
          extensions: expect.objectContaining({ code: 'FORBIDDEN' }),
        }),
      ]);
    }
    expect(await acme.db.webhook.findMany({ where: { id } })).toEqual(before);
    for (const way of ways.filter((each) => !/events:|ping/.test(each)))
      await reader.graphql(`mutation ($id: UUID!) { ${way} }`, { id });
  });

  const create = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }';
  const update =
    'mutation ($id: UUID!, $input: UpdateWebhookInput!) { updateWebhook(id: $id, input: $input) { id active } }';
  const url = 'http://127.0.0.1:9/theirs';
  // In the order of the list of event types.
  const reads = [...new Set(eventTypes.map((type) => `${findResource(type).scope}:read`))];
  const forbidden = (abilities: string) => ({
    code: 'FORBIDDEN',
    message: `This token lacks the ${abilities.includes(',') ? 'abilities' : 'ability'} ${abilities}.`,
  });

  it('can be created only for events that the token can read', async () => {
    expect(reads.toSorted()).toEqual([...new Set(eventResources.map(({ scope }) => `${scope}:read`))].toSorted());
    const who = await withAbilities('webhooks:write', 'customers:read');
    for (const input of [{ url }, { url, events: ['*'] }, { url, events: ['customer.created', '*'] }]) {
      expect(refusal(await who.graphqlAnswer(create, { input }))).toMatchObject(
        forbidden(reads.filter((ability) => ability !== 'customers:read').join(', ')),
      );
    }
    const paid = { url, events: ['customer.created', 'invoice.paid'] };
    expect(refusal(await who.graphqlAnswer(create, { input: paid }))).toMatchObject(forbidden('invoices:read'));
    const input = { url, events: ['customer.created', 'customer.deleted'] };
    expect((await who.graphqlAnswer(create, { input })).body.errors).toBeUndefined();
    const reader = await withAbilities('webhooks:write', 'read');
    expect((await reader.graphqlAnswer(create, { input: { url } })).body.errors).toBeUndefined();
  });

  it('can’t get another URL, more events, or be enabled by a token that can’t read its events', async () => {
    const who = await withAbilities('webhooks:write', 'customers:read');
    const { createWebhook } = await acme.graphql(create, { input: { url, events: ['invoice.paid'] } });
    const { id } = createWebhook.webhook;
    const changes = [
      { url: 'http://127.0.0.1:9/mine' },
      { events: ['customer.created', 'invoice.issued'] },
      { active: true },
    ];
    for (const input of changes) {
      expect(refusal(await who.graphqlAnswer(update, { id, input }))).toMatchObject(forbidden('invoices:read'));
    }
    const enable = 'mutation ($id: UUID!) { enableWebhook(id: $id) { id } }';
    expect(refusal(await who.graphqlAnswer(enable, { id }))).toMatchObject(forbidden('invoices:read'));
    const made = await who.graphql(create, { input: { url, events: ['customer.created'] } });
    const more = { id: made.createWebhook.webhook.id, input: { events: ['customer.created', 'invoice.issued'] } };
    expect(refusal(await who.graphqlAnswer(update, more))).toMatchObject(forbidden('invoices:read'));
  });

  it('can’t have deliveries redelivered or read by a token that can’t read its events', async () => {
    const who = await withAbilities('webhooks:write', 'webhooks:read', 'customers:read');
    const redeliver = 'mutation ($id: UUID!) { redeliver(id: $id) { id } }';
    expect(refusal(await who.graphqlAnswer(redeliver, { id: ids['Delivery'] }))).toMatchObject(
      forbidden('invoices:read'),
    );
    await acme.db.delivery.updateMany({
      data: { state: 'FAILED', nextAttemptAt: null, finishedAt: new Date() },
    });
    const missed = `mutation ($id: UUID!) { redeliverMissed(webhookId: $id, since: "2020-01-01T00:00:00Z") }`;
    expect(refusal(await who.graphqlAnswer(missed, { id: ids['Webhook'] })).code).toBe('FORBIDDEN');
    const read = '{ delivery(id: $id) { id } }';
    expect(refusal(await who.graphqlAnswer(`query ($id: UUID!) ${read}`, { id: ids['Delivery'] }))).toMatchObject(
      forbidden('invoices:read'),
    );
    for (const list of ['events(type: "invoice.paid")', 'deliveries(event: "invoice.paid")']) {
      expect(refusal(await who.graphqlAnswer(`{ ${list} { totalCount } }`))).toMatchObject(forbidden('invoices:read'));
    }
  });

  it('is listed with only the events and deliveries that the token can read, which the total counts', async () => {
    const who = await withAbilities('webhooks:read', 'customers:read');
    const page = '(first: 1) { totalCount nodes { id } pageInfo { hasNextPage } }';
    const { events, deliveries } = await who.graphql(`{ events${page} deliveries${page} }`);
    const ofCustomers = { type: { startsWith: 'customer.' } };
    const count = await acme.db.event.count({ where: ofCustomers });
    expect(count).toBeGreaterThan(1);
    expect(events).toMatchObject({ totalCount: count, pageInfo: { hasNextPage: true } });
    expect(deliveries.totalCount).toBe(await acme.db.delivery.count({ where: { event: ofCustomers } }));
  });
});

it('suggestions name no customer to a token that can’t read customers', async () => {
  const id = await makeBankTransaction(acme, {
    amount: '1465.26',
    amountOpen: '1465.26',
    counterpartyName: texts.customers,
  });
  const question =
    'query ($id: UUID!) { bankTransaction(id: $id) { suggestions { reasons { message partnerName } } } }';
  const reasonsFor = async (...held: string[]): Promise<string> =>
    JSON.stringify(await (await withAbilities(...held)).graphql(question, { id }));
  expect(await reasonsFor('bank-transactions:read', 'invoices:read', 'customers:read')).toContain(texts.customers);
  expect(await reasonsFor('bank-transactions:read', 'invoices:read')).not.toContain(texts.customers);
});

// This comes last, as it changes the rows.
describe('a token with one ability', () => {
  it.each(abilityScopes.filter((scope) => scope !== 'audit'))(
    '%s:write: no mutation shows another resource',
    async (resource) => {
      const who = await withAbilities(`${resource}:write`);
      const leaks: [string, AbilityScope[], string][] = [];
      for (const field of Object.values(schema.getMutationType()!.getFields())) {
        const idOf = (path: string[]): string | undefined => {
          const name = path.at(-1)!;
          const named = {
            customerId: 'Customer',
            invoiceId: 'Invoice',
            projectId: 'Project',
            receiptId: 'Receipt',
            transactionId: 'BankTransaction',
            webhookId: 'Webhook',
            userId: 'User',
          }[name];
          const typeName = field.name === 'deleteInvoice' ? 'InvoiceDraft' : getNamedType(field.type).name;
          if (named) return ids[named];
          if (path[0] === 'matches') return name === 'id' ? ids['Invoice'] : undefined;
          return name === 'id' ? (ids[typeName.replace('WithSecret', '')] ?? ids['Delivery']) : undefined;
        };
        const args = argumentsFor(field.args, idOf);
        if ('file' in args) continue;
        const type = getNamedType(field.type);
        const document = documentFor({ operation: 'mutation', field }, args);
        const deeper =
          isObjectType(type) && type.getFields()['event'] ? document.replace('__typename', 'event { body }') : document;
        const { body } = await who.graphqlAnswer(deeper, args);
        const others = revealedBy(body).filter((each) => each !== resource);
        if (others.length > 0) leaks.push([field.name, others, JSON.stringify(body)]);
      }
      expect(leaks).toEqual([]);
    },
    60_000,
  );
});
