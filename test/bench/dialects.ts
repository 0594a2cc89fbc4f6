// The questions to contenders, and the dialect of each: a request out of a question, and the content out of a response.

export type Question =
  | { ask: 'invoice' | 'customer'; id: string }
  | { ask: 'invoices' | 'customers'; page?: number; perPage?: number; status?: string; customerId?: string; q?: string }
  /** Without a total, where that can be left out. */
  | { ask: 'someInvoices' }
  /** Customers with their invoices with their items: 5 × 5. */
  | { ask: 'nested' }
  /** The largest overdue invoices of customers in one country, with the customers' names. */
  | { ask: 'receivables'; country: string }
  /** The invoices' number and sums by state and month. */
  | { ask: 'totals' }
  | { ask: 'createInvoice'; customerId: string };

export interface Request {
  method: 'GET' | 'POST';
  path: string;
  body?: object;
}

export interface Dialect {
  ask: (question: Question, tenantId: string) => Request;
  /** The rows that were asked for, and the total where there is one. */
  read: (body: unknown, question: Question) => unknown;
}

const get = (path: string): Request => ({ method: 'GET', path });

export const rest: Dialect = {
  ask(question) {
    switch (question.ask) {
      case 'invoice':
      case 'customer':
        return get(`/api/v1/${question.ask}s/${question.id}`);
      case 'invoices':
      case 'customers': {
        const { ask, page, perPage, status, customerId, q } = question;
        const parameters = { page, per_page: perPage ?? 25, status, customer_id: customerId, q };
        const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
        return get(`/api/v1/${ask}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`);
      }
      case 'someInvoices':
        return get('/api/v1/invoices?per_page=25');
      case 'createInvoice':
        return { method: 'POST', path: '/api/v1/invoices', body: newInvoice(question.customerId) };
      case 'receivables':
        return get(`/api/v1/receivables?country=${question.country}`);
      case 'totals':
        return get('/api/v1/totals');
      case 'nested':
        throw new Error('REST nests nothing');
    }
  },
  read(body, { ask }) {
    const { data, meta } = body as { data: unknown; meta?: { total: number } };
    return meta && ask !== 'someInvoices' ? { rows: data, total: meta.total } : data;
  },
};

/** Those without a domain can leave the total out. */
export const byHand: Dialect = {
  ...rest,
  ask: (question, tenantId) =>
    question.ask === 'someInvoices' ? get('/api/v1/invoices?per_page=25&total=false') : rest.ask(question, tenantId),
};

const newInvoice = (customerId: string): object => ({
  customer_id: customerId,
  invoice_date: '2026-06-30',
  due_date: '2026-07-14',
  subject: 'Three things',
  items: [
    { title: 'Layout', quantity: 4.5, unit: 'h', unit_price_net: 85, vat_rate: 19 },
    { title: 'Photographs', quantity: 12, unit: 'pcs', unit_price_net: 19.9, vat_rate: 19 },
    { title: 'A book about them', quantity: 1, unit: null, unit_price_net: 24.3, vat_rate: 7 },
  ],
});

/** SOFA answers a list as what it is, a list. */
export const sofa: Dialect = {
  ask(question) {
    if (question.ask === 'invoice') return get(`/api/invoice/${question.id}`);
    if (question.ask === 'someInvoices') return get('/api/invoices?first=25');
    throw new Error(`SOFA isn't asked for ${question.ask}`);
  },
  read: (body) => body,
};

const document = (query: string, variables: object): Request => ({
  method: 'POST',
  path: '/graphql',
  body: { query, variables },
});
const graphqlRead = (body: unknown): unknown => (body as { data: unknown }).data;

const invoiceFields = 'number customerId invoiceDate dueDate subject currency status totalNet totalVat totalGross';
const itemFields = 'position title quantity unit unitPriceNet vatRate lineTotalNet';

export const kontorGraphql: Dialect = {
  ask(question) {
    const invoice = `id ${invoiceFields} amountPaid createdAt items { id ${itemFields} }`;
    switch (question.ask) {
      case 'invoice':
        return document(`query ($id: UUID!) { result: invoice(id: $id) { ${invoice} } }`, { id: question.id });
      case 'invoices':
        return document(`query ($first: Int) { result: invoices(first: $first) { rows: nodes { ${invoice} } } }`, {
          first: 25,
        });
      case 'nested':
        return document(
          `query ($first: Int) {
            result: customers(first: $first) { rows: nodes {
              id companyName city invoices(first: $first) { rows: nodes { ${invoice} } }
            } } }`,
          { first: 5 },
        );
      case 'receivables':
        return document(
          `query ($filter: InvoiceFilter, $orderBy: [InvoiceOrder!]) {
            result: invoices(filter: $filter, orderBy: $orderBy, first: 25) {
              rows: nodes { id number dueDate currency amountDue customer { companyName country } }
            } }`,
          {
            filter: { isOverdue: { eq: true }, customer: { country: { eq: question.country } } },
            orderBy: [{ field: 'AMOUNT_DUE', direction: 'DESC' }],
          },
        );
      case 'totals':
        return document(
          `query ($groupBy: [InvoiceGroupBy!]) {
            result: invoicesAggregate(groupBy: $groupBy) {
              status month currency count sums { totalNet totalGross amountDue }
            } }`,
          { groupBy: ['STATUS', 'MONTH'] },
        );
      default:
        throw new Error(`GraphQL isn't asked for ${question.ask}`);
    }
  },
  read: graphqlRead,
};

export const postgraphile: Dialect = {
  ask(question, tenantId) {
    const invoice = `id: rowId ${invoiceFields} amountPaid createdAt
      items: invoiceItemsByTenantIdAndInvoiceId(orderBy: POSITION_ASC) { nodes { id: rowId ${itemFields} } }`;
    switch (question.ask) {
      case 'invoice':
        return document(
          `query ($tenantId: UUID!, $id: UUID!) {
            result: invoiceByTenantIdAndRowId(tenantId: $tenantId, rowId: $id) { ${invoice} } }`,
          { tenantId, id: question.id },
        );
      case 'invoices':
        return document(
          `query ($first: Int) {
            result: allInvoices(first: $first, orderBy: PRIMARY_KEY_DESC) { rows: nodes { ${invoice} } } }`,
          { first: 25 },
        );
      case 'nested':
        return document(
          `query ($first: Int) {
            result: allCustomers(first: $first, orderBy: PRIMARY_KEY_DESC) { rows: nodes {
              id: rowId companyName city
              invoices: invoicesByTenantIdAndCustomerId(first: $first, orderBy: PRIMARY_KEY_DESC) {
                rows: nodes { ${invoice} }
              }
            } } }`,
          { first: 5 },
        );
      default:
        throw new Error(`GraphQL isn't asked for ${question.ask}`);
    }
  },
  read: graphqlRead,
};
