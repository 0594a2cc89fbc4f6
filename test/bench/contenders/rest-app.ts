import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import fastify, { type FastifyRequest } from 'fastify';
import { log, logRequest, port, type Caller, type NewInvoice } from './environment.ts';

// The REST API as one would write it with Fastify, apart from where the data comes from: routes, schemas to check and
// to serialize by, one hook for the token.

export interface Filter {
  status?: string;
  customerId?: string;
  q?: string;
}

export interface Window {
  limit: number;
  offset: number;
  /** Whether the rows are counted. */
  counted: boolean;
}

export interface NewCustomer {
  external_id?: string | null;
  type: string;
  company_name: string;
  email?: string | null;
  address_line1?: string | null;
  postal_code?: string | null;
  city?: string | null;
  country?: string | null;
  vat_id?: string | null;
}

/** Of overdue invoices: the largest ones of customers in a country. */
export interface Receivables {
  country: string;
  per_page: number;
}

/** A contender's part: rows in the API's own names. */
export interface Store {
  caller: (authorization: string | undefined) => Promise<Caller | undefined>;
  invoice: (tenantId: string, id: string) => Promise<object | undefined>;
  invoices: (tenantId: string, filter: Filter, window: Window) => Promise<{ rows: object[]; total?: number }>;
  customer: (tenantId: string, id: string) => Promise<object | undefined>;
  customers: (tenantId: string, filter: Filter, window: Window) => Promise<{ rows: object[]; total?: number }>;
  createInvoice: (tenantId: string, input: NewInvoice) => Promise<object>;
  /** Writes all or none. @returns how many */
  loadCustomers?: (tenantId: string, customers: AsyncIterable<NewCustomer>) => Promise<number>;
  /** The whole responses of two questions that only some contenders are asked. */
  receivables?: (tenantId: string, filter: Receivables) => Promise<object>;
  totals?: (tenantId: string) => Promise<object>;
}

const nullable = (type: string) => ({ type, nullable: true });
const object = (properties: object) => ({ type: 'object', properties });
const [text, number] = [{ type: 'string' }, { type: 'number' }];
const metadata = { type: 'object', additionalProperties: text };
const money = { total_net: number, total_vat: number, total_gross: number };

const customer = object({
  id: text,
  type: text,
  company_name: text,
  email: nullable('string'),
  address_line1: nullable('string'),
  postal_code: nullable('string'),
  city: nullable('string'),
  country: nullable('string'),
  vat_id: nullable('string'),
  contact_name: nullable('string'),
  phone: nullable('string'),
  buyer_reference: nullable('string'),
  electronic_address: nullable('string'),
  electronic_address_scheme: nullable('string'),
  language: nullable('string'),
  payment_terms_days: nullable('number'),
  required_e_invoice: nullable('string'),
  external_id: nullable('string'),
  metadata,
  created_at: text,
  updated_at: text,
});
const item = object({
  id: text,
  position: number,
  title: text,
  quantity: number,
  unit: nullable('string'),
  unit_price_net: number,
  vat_rate: number,
  line_total_net: number,
  description: nullable('string'),
  vat_category: text,
  exemption_reason: nullable('string'),
  unit_code: text,
  discount_percent: number,
  service_period_start: nullable('string'),
  service_period_end: nullable('string'),
});
const invoice = object({
  id: text,
  number: nullable('string'),
  customer_id: text,
  invoice_date: text,
  due_date: text,
  delivery_date: nullable('string'),
  subject: nullable('string'),
  currency: text,
  status: text,
  items: { type: 'array', items: item },
  ...money,
  vat_breakdown: { type: 'array', items: object({ vat_rate: number, net: number, vat: number }) },
  amount_credited: number,
  amount_refunded: number,
  amount_paid: number,
  amount_adjusted: number,
  amount_due: number,
  is_overdue: { type: 'boolean' },
  issued_at: nullable('string'),
  paid_at: nullable('string'),
  cancelled_at: nullable('string'),
  exchange_rate: nullable('number'),
  exchange_rate_date: nullable('string'),
  exchange_rate_source: nullable('string'),
  exchange_currency: nullable('string'),
  external_id: nullable('string'),
  metadata,
  created_at: text,
  updated_at: text,
});
const one = (resource: object) => object({ data: resource });
const many = (resource: object) =>
  object({
    data: { type: 'array', items: resource },
    links: object({ first: text, last: text, prev: nullable('string'), next: nullable('string') }),
    meta: object({
      current_page: number,
      per_page: number,
      total: number,
      last_page: number,
      from: nullable('number'),
      to: nullable('number'),
    }),
  });

const uuid = { type: 'string', format: 'uuid' };
const page = {
  page: { type: 'integer', minimum: 1, default: 1 },
  per_page: { type: 'integer', minimum: 1, maximum: 100, default: 25 },
  total: { type: 'boolean', default: true },
};
const newInvoice = {
  ...object({
    customer_id: uuid,
    invoice_date: { type: 'string', format: 'date' },
    due_date: { type: 'string', format: 'date' },
    subject: { type: 'string', maxLength: 255, nullable: true },
    items: {
      type: 'array',
      minItems: 1,
      maxItems: 500,
      items: {
        ...object({
          title: { type: 'string', minLength: 1, maxLength: 255 },
          quantity: number,
          unit: nullable('string'),
          unit_price_net: number,
          vat_rate: { type: 'number', minimum: 0, maximum: 100 },
        }),
        required: ['title', 'quantity', 'unit_price_net', 'vat_rate'],
      },
    },
  }),
  required: ['customer_id', 'invoice_date', 'items'],
};

const country = { type: 'string', pattern: '^[A-Z]{2}$' };
const text255 = { type: 'string', maxLength: 255, nullable: true };
const newCustomer = {
  ...object({
    external_id: text255,
    type: { type: 'string', enum: ['customer', 'supplier'] },
    company_name: { type: 'string', minLength: 1, maxLength: 255 },
    email: text255,
    address_line1: text255,
    postal_code: text255,
    city: text255,
    country: { ...country, nullable: true },
    vat_id: text255,
  }),
  required: ['type', 'company_name'],
};

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
  }
}

interface Query extends Filter {
  page: number;
  per_page: number;
  total: boolean;
  customer_id?: string;
}

export async function serve(store: Store): Promise<void> {
  const app = fastify({ loggerInstance: log, disableRequestLogging: true });
  app.decorateRequest('caller');
  app.addHook('onRequest', async (request, reply) => {
    const caller = await store.caller(request.headers.authorization);
    if (!caller) return reply.code(401).send({ message: 'The API token is missing or not valid.' });
    request.caller = caller;
  });
  app.addHook('onResponse', async (request, reply) =>
    logRequest(request.method, request.url, reply.statusCode, reply.elapsedTime),
  );

  const get = (path: string, resource: object, find: Store['invoice']) =>
    app.get<{ Params: { id: string } }>(
      `/api/v1/${path}/:id`,
      { schema: { params: object({ id: uuid }), response: { 200: one(resource) } } },
      async ({ caller, params }, reply) =>
        (await found(find(caller.tenantId, params.id))) ?? reply.code(404).send({ message: 'Not found.' }),
    );
  const list = (path: string, resource: object, filters: object, find: Store['invoices']) =>
    app.get<{ Querystring: Query }>(
      `/api/v1/${path}`,
      { schema: { querystring: object({ ...page, ...filters }), response: { 200: many(resource) } } },
      async (request) => {
        const { page: current, per_page: limit, total: counted, customer_id: customerId, ...filter } = request.query;
        const window = { limit, offset: (current - 1) * limit, counted };
        const { rows, total } = await find(request.caller.tenantId, { ...filter, customerId }, window);
        return total === undefined ? { data: rows } : envelope(request, rows, total, current, limit);
      },
    );

  get('invoices', invoice, store.invoice);
  get('customers', customer, store.customer);
  const status = { type: 'string', enum: ['draft', 'issued', 'paid', 'cancelled'] };
  list('invoices', invoice, { status, customer_id: uuid }, store.invoices);
  list('customers', customer, { q: { type: 'string', maxLength: 255 } }, store.customers);
  app.post<{ Body: NewInvoice }>(
    '/api/v1/invoices',
    { schema: { body: newInvoice, response: { 201: one(invoice) } } },
    async ({ caller, body }, reply) => {
      reply.code(201);
      return { data: await store.createInvoice(caller.tenantId, body) };
    },
  );
  const { loadCustomers } = store;
  if (loadCustomers) {
    app.addContentTypeParser('application/jsonl', (_request, payload, done) => done(null, payload));
    app.post<{ Body: Readable }>('/api/v1/customers/load', async (request) => {
      const isCustomer = request.compileValidationSchema(newCustomer);
      async function* read(): AsyncGenerator<NewCustomer> {
        for await (const line of createInterface({ input: request.body })) {
          const given = JSON.parse(line) as NewCustomer;
          if (!isCustomer(given)) throw new Error('A line is wrong');
          yield given;
        }
      }
      return { data: { loaded: await loadCustomers(request.caller.tenantId, read()) } };
    });
  }
  const filtered = { ...object({ country, per_page: page.per_page }), required: ['country'] };
  app.get<{ Querystring: Receivables }>(
    '/api/v1/receivables',
    { schema: { querystring: filtered } },
    async ({ caller, query }) => ({ data: await store.receivables?.(caller.tenantId, query) }),
  );
  app.get('/api/v1/totals', async ({ caller }) => ({ data: await store.totals?.(caller.tenantId) }));
  await app.listen({ port, host: '127.0.0.1' });
}

async function found(row: Promise<object | undefined>): Promise<object | undefined> {
  const data = await row;
  return data && { data };
}

function envelope(request: FastifyRequest, data: object[], total: number, current: number, perPage: number): object {
  const last = Math.max(1, Math.ceil(total / perPage));
  const address = new URL(request.url, `http://${request.host}`);
  const link = (to: number): string => {
    address.searchParams.set('page', String(to));
    return address.href;
  };
  const from = (current - 1) * perPage + 1;
  return {
    data,
    links: {
      first: link(1),
      last: link(last),
      prev: current > 1 ? link(current - 1) : null,
      next: current < last ? link(current + 1) : null,
    },
    meta: {
      current_page: current,
      per_page: perPage,
      total,
      last_page: last,
      ...(data.length > 0 ? { from, to: from + data.length - 1 } : { from: null, to: null }),
    },
  };
}
