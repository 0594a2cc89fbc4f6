import { renderBody } from '../../schema/events/events.ts';
import { moveOutbox } from '../../src/jobs/queue/outbox.ts';
import type { Answer, Integrator, Service } from '../harness.ts';

// Rows to create and to read, shared by the tests of the domain.

type Fields = Record<string, unknown>;

const create = async (who: Integrator, resource: string, input: Fields): Promise<string> => {
  const mutation = `mutation ($input: Create${resource}Input!) { created: create${resource}(input: $input) { id } }`;
  return (await who.graphql(mutation, { input })).created.id;
};

export const makeCustomer = (who: Integrator, fields: Fields = {}): Promise<string> =>
  create(who, 'Customer', { type: 'CUSTOMER', companyName: 'Globex', ...fields });

/** The tenant's company profile, with these fields. */
export const makeCompany = async (who: Integrator, input: Fields = {}): Promise<string> => {
  const mutation = 'mutation ($input: UpdateCompanyInput!) { updateCompany(input: $input) { id } }';
  return (await who.graphql(mutation, { input: { legalName: 'Acme GmbH', ...input } })).updateCompany.id;
};

/** One line of 119.00 gross. */
export const item = { title: 'Advice', quantity: '1', unit: 'h', unitPriceNet: '100', vatRate: '19' };

/** An invoice of 119.00 gross by default, to a new customer. */
export const makeInvoice = async (who: Integrator, fields: Fields = {}): Promise<string> =>
  create(who, 'Invoice', {
    customerId: fields['customerId'] ?? (await makeCustomer(who)),
    invoiceDate: '2026-03-01',
    items: [item],
    ...fields,
  });

/** A credit note of all of an invoice: by default, of a new one of 119.00 gross that is paid. */
export const makeCreditNote = async (who: Integrator, fields: Fields = {}): Promise<string> =>
  create(who, 'CreditNote', {
    invoiceId: fields['invoiceId'] ?? (await makeInvoice(who, { status: 'PAID' })),
    ...fields,
  });

export const makeReceipt = (who: Integrator, fields: Fields = {}): Promise<string> =>
  create(who, 'Receipt', { receiptDate: '2026-03-01', amountGross: '119', vatRate: '19', ...fields });

export const makeProject = (who: Integrator, fields: Fields = {}): Promise<string> =>
  create(who, 'Project', { name: 'Website', ...fields });

export const makeTimeEntry = async (who: Integrator, fields: Fields = {}): Promise<string> =>
  create(who, 'TimeEntry', {
    projectId: fields['projectId'] ?? (await makeProject(who)),
    date: '2026-03-01',
    durationMinutes: 60,
    ...fields,
  });

/** Bank transactions come from statements. The API can't create them. */
export const makeBankTransaction = async (who: Integrator, fields: Fields = {}): Promise<string> => {
  const data = {
    accountIban: 'DE02120300000000202051',
    bookingDate: new Date('2026-03-02'),
    amount: 119,
    amountOpen: { MATCHED: 0, PARTIALLY_MATCHED: 19 }[String(fields['matchStatus'])] ?? 119,
    currency: 'EUR',
    ...fields,
  };
  return (await who.db.bankTransaction.create({ data })).id;
};

export const makeBankAccount = async (who: Integrator, fields: Fields = {}): Promise<string> => {
  const iban = `DE${Math.floor(Math.random() * 1e18)}`;
  return (await who.db.bankAccount.create({ data: { iban, currency: 'EUR', ...fields } })).id;
};

export const makeBankStatement = async (who: Integrator, fields: Fields = {}): Promise<string> => {
  const bankAccountId = fields['bankAccountId'] ?? (await makeBankAccount(who));
  const days = { fromDate: new Date('2026-03-01'), toDate: new Date('2026-03-31') };
  const statement = { number: '3', ...days, openingBalance: 100, closingBalance: 219, ...fields };
  return (await who.db.bankStatement.create({ data: { ...statement, bankAccountId: String(bankAccountId) } })).id;
};

/** A finished delivery of a new event to a new webhook. */
export async function makeDelivery(who: Integrator): Promise<{ id: string; webhookId: string; eventId: string }> {
  const hook = { url: 'https://example.com/hook', events: ['*'], secret: new Uint8Array(1) };
  const { id: webhookId } = await who.db.webhook.create({ data: hook });
  const body = renderBody('webhook.ping', { id: who.tenantId, test: false }, new Date(), '{"message":"pong"}');
  const { id: eventId } = await who.db.event.create({ data: { type: 'webhook.ping', body } });
  const sent = { kind: 'PING', state: 'DELIVERED', finishedAt: new Date() } as const;
  const { id } = await who.db.delivery.create({ data: { webhookId, eventId, ...sent } });
  return { id, webhookId, eventId };
}

export async function makePayment(
  who: Integrator,
  invoiceId: string,
  amount?: string,
  own: { externalId?: unknown; metadata?: unknown } = {},
): Promise<string> {
  const pay = `mutation ($id: UUID!, $amount: Decimal, $externalId: String, $metadata: Metadata) {
    payInvoice(id: $id, amount: $amount, externalId: $externalId, metadata: $metadata) { payments { nodes { id } } }
  }`;
  return (await who.graphql(pay, { id: invoiceId, amount, ...own })).payInvoice.payments.nodes[0].id;
}

export interface EventRow {
  id: string;
  type: string;
  // JSON from the database.
  // eslint-disable-next-line typescript/no-explicit-any
  body: any;
}

/** Waits until everything that was committed is in the queue: at once, but where the books are distributed. */
export async function emptyOutbox({ pool }: Pick<Service, 'pool'>): Promise<void> {
  while ((await pool.query('select from outbox limit 1')).rows.length > 0) await moveOutbox(pool);
}

/** A tenant's events in the order they were written. */
export async function listEvents({ pool }: Pick<Service, 'pool'>, { tenantId }: Integrator): Promise<EventRow[]> {
  await emptyOutbox({ pool });
  const { rows } = await pool.query(
    `select events.id, type, body
     from events left join graphile_worker._private_jobs as jobs on jobs.payload ->> 'eventId' = events.id::text
     where tenant_id = $1 order by jobs.id`,
    [tenantId],
  );
  return rows.map((row) => ({ ...row, body: JSON.parse(row.body) }));
}

/** The events that `work` adds to the tenant. */
export async function eventsDuring(service: Service, who: Integrator, work: () => Promise<unknown>) {
  const before = new Set((await listEvents(service, who)).map(({ id }) => id));
  await work();
  return (await listEvents(service, who)).filter(({ id }) => !before.has(id));
}

/** The events of the queued fan-out jobs. */
export async function fannedOut({ pool }: Pick<Service, 'pool'>, { tenantId }: Integrator): Promise<string[]> {
  await emptyOutbox({ pool });
  const { rows } = await pool.query(
    `select payload ->> 'eventId' as id
     from graphile_worker._private_jobs as jobs join graphile_worker._private_tasks as tasks on tasks.id = jobs.task_id
     where tasks.identifier = 'fan_out' and payload ->> 'tenantId' = $1
     order by jobs.id`,
    [tenantId],
  );
  return rows.map((row) => row.id);
}

type TestBooks = Pick<Service, 'pool'>;

let booksTables: string[] | undefined;

/** The tables with rows of tenants, the same in each database. */
async function listBooksTables({ pool }: TestBooks): Promise<string[]> {
  const { rows } = await pool.query(
    `select table_name as name from information_schema.columns
     where table_schema = 'public' and column_name = 'tenant_id' and table_name not in ('memberships', 'api_tokens', 'outbox', 'watchers')
     order by table_name`,
  );
  return rows.map(({ name }) => name);
}

/** All rows of the tenant, with events and sequences, to check that nothing changed. */
export async function readBooks({ pool }: TestBooks, { tenantId }: Integrator): Promise<unknown> {
  booksTables ??= await listBooksTables({ pool });
  const books: Record<string, unknown> = {};
  for (const name of booksTables) {
    const table = await pool.query(
      `select to_jsonb(t) as row from "${name}" t where tenant_id = $1 order by to_jsonb(t)::text`,
      [tenantId],
    );
    books[name] = table.rows.map(({ row }) => row);
  }
  return books;
}

/** The count and a digest of the rows that readBooks() would read, where books are large, or read often. */
export async function digestBooks({ pool }: TestBooks, ...tenants: Integrator[]): Promise<unknown> {
  booksTables ??= await listBooksTables({ pool });
  const digests = booksTables.map(
    (name) => `select '${name}' as name, count(*), sum(hashtextextended(t::text, 0)) as digest
               from "${name}" t where tenant_id = any ($1)`,
  );
  const { rows } = await pool.query(digests.join(' union all '), [tenants.map(({ tenantId }) => tenantId)]);
  return rows;
}

/** The code, the `errors`, and the message of an answer's first error. */
export function refusal({ body }: Pick<Answer, 'body'>): {
  code: string;
  errors?: Record<string, string[]>;
  message: string;
  // eslint-disable-next-line typescript/no-explicit-any
  extensions: any;
} {
  const error = body?.errors?.[0];
  if (!error) throw new Error(`Not refused: ${JSON.stringify(body)}`);
  const { code, errors } = error.extensions ?? {};
  return { code, errors, message: error.message, extensions: error.extensions };
}
