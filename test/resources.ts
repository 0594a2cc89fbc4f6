import { makeSampleAnchor } from './anchors/sample.ts';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { zstdCompressSync } from 'node:zlib';
import { fileKey } from '../schema/resources/export/file.ts';
import { resources, type Resource } from '../schema/resource-list.ts';
import { createWebhook } from './webhooks/receiver.ts';
import {
  item,
  makeBankAccount,
  makeBankStatement,
  makeBankTransaction,
  makeCreditNote,
  makeCustomer,
  makeInvoice,
  makePayment,
  makeProject,
  makeReceipt,
  makeTimeEntry,
} from './graphql/books.ts';
import type { Integrator, Service } from './harness.ts';
import * as sample from './rest/samples.ts';

// Samples of each resource for the tests of every resource. A new resource gets an entry, and these tests include it.

type Fields = Record<string, unknown>;

/** Ids of rows that a body can refer to. */
export interface References {
  customer_id: string;
  invoice_id: string;
  invoice_item_id: string;
  supplier_id: string;
  project_id: string;
}

interface ResourceSample {
  /** Makes a row, and the rows that it refers to. @param fields of the GraphQL input, instead of the usual ones */
  make: (who: Integrator, fields?: Fields) => Promise<string>;
  /** Fields of the GraphQL input that hold this text. */
  holding: (text: string) => Fields;
  /** REST's bodies with every field that POST and PATCH accept. */
  bodies?: (references: References) => { POST?: object; PATCH?: object };
  /** REST's transitions: the fields with which a row that allows one is made, and a body with every field. */
  transitions?: Record<string, { made?: Fields; body?: Fields }>;
  /** Fields of the input of GraphQL's update, where there is one. */
  change?: Fields;
  /** Makes a row that can't be deleted, where there are rules for that. */
  makeKept?: (who: Integrator) => Promise<string>;
}

const address = { address_line1: 'x', postal_code: '1', city: 'Ulm', country: 'DE' };
const partner = {
  contact_name: 'x',
  phone: '1',
  buyer_reference: 'x',
  electronic_address: 'x',
  electronic_address_scheme: '0204',
  language: 'de',
  payment_terms_days: 7,
  required_e_invoice: 'none',
};
const lineDetails = {
  unit: 'h',
  vat_rate: 0,
  vat_category: 'E',
  exemption_reason: 'x',
  unit_code: 'HUR',
  description: 'x',
  discount_percent: 1.5,
  service_period_start: '2026-02-01',
  service_period_end: '2026-02-28',
};
/** Fields of every resource that clients write. */
const own = { external_id: null, metadata: { key: 'x' } };
const dates = { start_date: '2026-03-01', end_date: '2026-03-31' };
const payment = { amount: 1, paid_on: '2026-03-02', ...own };
const adjustments = [{ type: 'cash_discount', amount: 0.01, reason: 'x' }];
const terms = {
  due_date: '2026-03-02',
  currency: 'EUR',
  status: 'draft',
  exchange_rate: null,
  exchange_rate_date: null,
  exchange_rate_source: null,
};

/** REST's collections: the resources of the books, webhooks, bulk operations, and anchors. */
export const collections = [
  ...resources,
  { model: 'Webhook', path: 'webhooks', scope: 'webhooks' },
  { model: 'BulkOperation', path: 'bulk-operations', scope: 'bulk-operations' },
  { model: 'Export', path: 'exports', scope: 'exports' },
  { model: 'Anchor', path: 'anchors', scope: 'audit' },
  { model: 'BankStatement', path: 'bank-statements', scope: 'bank-transactions' },
] as const satisfies (
  | Pick<Resource, 'model' | 'path' | 'scope'>
  | { model: 'Webhook'; path: 'webhooks'; scope: 'webhooks' }
  | { model: 'BulkOperation'; path: 'bulk-operations'; scope: 'bulk-operations' }
  | { model: 'Export'; path: 'exports'; scope: 'exports' }
  | { model: 'Anchor'; path: 'anchors'; scope: 'audit' }
  | { model: 'BankStatement'; path: 'bank-statements'; scope: 'bank-transactions' }
)[];
type Collection = (typeof collections)[number];

export const samples: Record<Collection['model'], ResourceSample> = {
  Customer: {
    make: makeCustomer,
    holding: (text) => ({ companyName: text, city: text }),
    change: { city: 'Bonn' },
    bodies: () => {
      const body = { ...sample.customer, email: 'a@b.example', ...address, vat_id: 'x', ...partner, ...own };
      return { POST: body, PATCH: body };
    },
    transitions: { 'credit-refunds': { body: { ...payment, currency: 'EUR' } } },
    makeKept: async (who) => {
      const id = await makeCustomer(who);
      await makeInvoice(who, { customerId: id });
      return id;
    },
  },
  Invoice: {
    make: makeInvoice,
    holding: (text) => ({ subject: text }),
    change: { subject: 'x' },
    transitions: {
      issue: {},
      cancel: { made: { status: 'ISSUED' } },
      payments: { made: { status: 'ISSUED' }, body: { ...payment, adjustments } },
    },
    bodies: ({ customer_id }) => ({
      POST: {
        ...sample.invoice(customer_id),
        ...terms,
        delivery_date: '2026-02-28',
        subject: 'x',
        ...own,
        items: [{ ...sample.item, ...lineDetails }],
      },
    }),
    makeKept: (who) => makeInvoice(who, { status: 'PAID' }),
  },
  CreditNote: {
    make: makeCreditNote,
    holding: (text) => ({ reason: text }),
    transitions: { refunds: { body: payment } },
    bodies: ({ invoice_id, invoice_item_id }) => ({
      POST: {
        invoice_id,
        reason: 'x',
        ...own,
        credit_note_date: '2026-03-02',
        items: [{ invoice_item_id, quantity: 0.001 }],
        amounts: [{ vat_rate: 19, vat_category: 'S', net: 0.01 }],
      },
    }),
  },
  Receipt: {
    make: makeReceipt,
    holding: (text) => ({ description: text }),
    change: { category: 'x' },
    transitions: {
      book: {},
      reverse: { made: { status: 'BOOKED' }, body: { reason: 'x' } },
      payments: { made: { status: 'BOOKED' }, body: { ...payment, adjustments } },
    },
    bodies: ({ supplier_id, project_id }) => ({
      POST: {
        ...sample.receipt,
        supplier_id,
        project_id,
        receipt_number: '1',
        category: 'x',
        description: 'x',
        vat_rate: 19,
        amount_prepaid: 1,
        service_date: '2026-02-01',
        received_on: '2026-03-02',
        credited_receipt_id: null,
        lines: [
          {
            description: 'x',
            account: '4930',
            vat_category: 'S',
            vat_rate: 19,
            deductible_percent: 50,
            amount_gross: 119,
            amount_net: 100,
            vat_amount: 19,
          },
        ],
        ...terms,
        ...own,
      },
    }),
    makeKept: async (who) => {
      const id = await makeReceipt(who, { status: 'BOOKED' });
      await who.graphql('mutation ($id: UUID!) { payReceipt(id: $id) { id } }', { id });
      return id;
    },
  },
  Project: {
    make: makeProject,
    holding: (text) => ({ name: text }),
    change: { budgetHours: '1.5' },
    bodies: ({ customer_id }) => {
      const rates = { hourly_rate_net: 1, budget_hours: 1, currency: 'EUR' };
      const body = { ...sample.project, customer_id, description: 'x', status: 'active', ...rates, ...dates, ...own };
      return { POST: body, PATCH: body };
    },
    makeKept: async (who) => {
      const id = await makeProject(who);
      await makeTimeEntry(who, { projectId: id });
      return id;
    },
  },
  TimeEntry: {
    make: makeTimeEntry,
    holding: (text) => ({ description: text, billable: true }),
    change: { description: 'x' },
    bodies: ({ project_id }) => ({
      POST: { ...sample.timeEntry(project_id), description: 'x', billable: true, hourly_rate_net: 1, ...own },
    }),
    makeKept: async (who) => {
      const projectId = await makeProject(who, { customerId: await makeCustomer(who), hourlyRateNet: '1' });
      const id = await makeTimeEntry(who, { projectId });
      await who.graphql('mutation ($id: UUID!) { billProject(projectId: $id, vatRate: "0") { id } }', {
        id: projectId,
      });
      return id;
    },
  },
  BankAccount: {
    make: makeBankAccount,
    holding: (text) => ({ name: text }),
    change: { name: 'x' },
    bodies: () => {
      const body = { name: 'x', ...own };
      return { POST: { iban: randomUUID(), currency: 'EUR', ...body }, PATCH: body };
    },
  },
  BankTransaction: {
    make: makeBankTransaction,
    holding: (text) => ({ reference: text, counterpartyName: text }),
  },
  Payment: {
    make: async (who, { externalId, metadata, ...fields } = {}) =>
      makePayment(who, await makeInvoice(who, { status: 'ISSUED', ...fields }), undefined, { externalId, metadata }),
    holding: (text) => ({ subject: text }),
    change: { metadata: { key: 'x' } },
    bodies: () => ({ PATCH: own }),
    transitions: { reverse: { body: { reason: 'x' } } },
  },
  Webhook: {
    make: async (who, fields) => {
      await makeRoom(who);
      return (await createWebhook(who, { url: 'https://hooks.example.com', ...fields })).id;
    },
    holding: (text) => ({ description: text }),
    change: { description: 'x' },
    transitions: { 'rotate-secret': { body: { immediately: true } } },
    bodies: () => {
      const body = { url: 'https://hooks.example.com', description: 'x', events: ['customer.created'] };
      return { POST: body, PATCH: { ...body, active: true } };
    },
  },
  BulkOperation: {
    make: makeBulkOperation,
    holding: (text) => ({ error: text }),
    transitions: { cancel: {} },
  },
  Export: {
    make: makeExport,
    holding: (text) => ({ error: text }),
    transitions: { cancel: {} },
    bodies: () => ({
      POST: {
        type: 'list',
        resource: 'invoices',
        format: 'csv',
        from: '2026-01-01',
        to: '2026-01-31',
      },
    }),
  },
  BankStatement: { make: makeBankStatement, holding: (text) => ({ number: text }) },
  Anchor: { make: makeSampleAnchor, holding: (text) => ({ content: text }) },
};

/** Makes a delivery of an event to a new webhook. It is not sent: the tests' service has no worker. */
export async function makeDelivery(who: Integrator): Promise<string> {
  const webhookId = await samples.Webhook.make(who);
  const customerId = await makeCustomer(who);
  const event = await who.db.event.findFirstOrThrow({ where: { resourceId: customerId } });
  return (await who.db.delivery.create({ data: { webhookId, eventId: event.id, nextAttemptAt: new Date() } })).id;
}

/** A bulk operation of one line. No job does it. */
export async function makeBulkOperation(who: Integrator, fields: Fields = {}): Promise<string> {
  const kind = { resource: 'CUSTOMERS', action: 'CREATE', lines: 1, userId: who.userId } as const;
  const slot = Math.floor(Math.random() * 2 ** 31); // beyond the limit of a tenant
  const operation = who.db.row('BulkOperation', { ...kind, slot, ...fields });
  const content = new Uint8Array(zstdCompressSync(JSON.stringify(sample.customer)));
  const chunk = who.db.row('BulkChunk', { operationId: operation.id, number: 0, firstLine: 1, content });
  await who.db.insert({ BulkOperation: [operation] });
  await who.db.insert({ BulkChunk: [chunk] });
  return operation.id;
}

/** An export that waits. No job writes it. */
export async function makeExport(who: Integrator, fields: Fields = {}): Promise<string> {
  const kind = { type: 'LIST', format: 'CSV', resource: 'INVOICES', userId: who.userId } as const;
  const slot = Math.floor(Math.random() * 2 ** 31); // beyond the limit of a tenant
  const row = who.db.row('Export', { ...kind, slot, ...fields });
  await who.db.insert({ Export: [row] });
  return row.id;
}

/** A completed export, with a file. */
export async function makeWrittenExport(
  { fileStorage }: Pick<Service, 'fileStorage'>,
  who: Integrator,
): Promise<string> {
  const id = await makeExport(who, {
    slot: null,
    status: 'COMPLETED',
    fileName: 'invoices.csv',
    length: 1,
    sha256: new Uint8Array(32),
    finishedAt: new Date(),
    expiresAt: new Date(Date.now() + 86_400_000),
  });
  await fileStorage.write(fileKey(who.tenantId, id), Readable.from([Buffer.from('x')]), 1);
  return id;
}

/** A tenant has a limited number of webhooks, and of exports that have not ended. */
export async function makeRoom(who: Integrator): Promise<void> {
  const webhooks = await who.db.webhook.findMany({ where: { deletedAt: null }, orderBy: { id: 'desc' }, skip: 5 });
  const where = { id: { in: webhooks.map(({ id }) => id) } };
  await who.db.webhook.updateMany({ where, data: { slot: null, deletedAt: new Date() } });
  const ended = { slot: null, status: 'CANCELLED', finishedAt: new Date() } as const;
  await who.db.export.updateMany({ where: { finishedAt: null }, data: ended });
}

export async function makeReferences(who: Integrator): Promise<References> {
  const customerId = await makeCustomer(who);
  const invoiceId = await makeInvoice(who, {
    customerId,
    status: 'ISSUED',
    invoiceDate: '2026-01-31',
    items: [{ ...item, quantity: '10' }],
  });
  return {
    customer_id: customerId,
    invoice_id: invoiceId,
    invoice_item_id: (await who.db.invoiceItem.findFirstOrThrow({ where: { invoiceId } })).id,
    supplier_id: await makeCustomer(who, { type: 'SUPPLIER' }),
    project_id: await makeProject(who),
  };
}

/** An endpoint that takes a body, and a body with every field that it accepts. */
export type BodyEndpoint = [method: string, path: string, body: object];

export async function bodyEndpoints(who: Integrator): Promise<BodyEndpoint[]> {
  const references = await makeReferences(who);
  const endpoints: BodyEndpoint[] = [];
  for (const { model, path } of collections) {
    const { bodies, make } = samples[model];
    const { POST, PATCH } = bodies?.(references) ?? {};
    if (POST) endpoints.push(['POST', `/${path}`, POST]);
    if (PATCH) endpoints.push(['PATCH', `/${path}/${await make(who)}`, PATCH]);
  }
  // So early that it closes nothing that a test books.
  endpoints.push(['PUT', '/period-locks', { series: 'bank', locked_until: '1990-01-31', kind: 'soft', reason: 'x' }]);
  return endpoints;
}

/**
 * Makes a row of each resource.
 * @param text that each of the rows holds
 * @returns their ids by REST's path
 */
export async function makeEach(who: Integrator, text = 'x'): Promise<Record<Collection['path'], string>> {
  const made = {} as Record<Collection['path'], string>;
  for (const { model, path } of collections) {
    const { make, holding } = samples[model];
    made[path] = await make(who, holding(text));
  }
  return made;
}
