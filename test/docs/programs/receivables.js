import { readFile } from 'node:fs/promises';
import { argv, env, stdout } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

// Written by what /docs says, and by nothing else of this repository:
//   node receivables.js load FILE       loads the customers of another system
//   node receivables.js bill FILE       issues invoices of them
//   node receivables.js pay NUMBER      records that an invoice is paid
//   node receivables.js page COUNTRY    prints who owes us money
// All of it may be run again at any time, also after it was interrupted.

const { KONTOR = '', TOKEN = '', RUN = '1' } = env;
const attempts = 8;

/** Sends a request until it is answered. A POST has a key, so that all its attempts do the work once. */
async function send(method, path, { body, type = 'application/json', key } = {}) {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await sendOnce(method, path, { body, type, key }).catch((error) => ({ error }));
    if (answer.status >= 200 && answer.status < 300) return answer.text;
    const mayPass = answer.error || answer.status === 429 || answer.status >= 500;
    if (!mayPass || attempt === attempts)
      throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`, { cause: answer.error });
    await sleep((answer.retryAfter ?? attempt / 10) * 1000);
  }
}

async function sendOnce(method, path, { body, type, key }) {
  const response = await fetch(KONTOR + path, {
    method,
    headers: {
      Authorization: `Bearer ${TOKEN}`,
      ...(body !== undefined && { 'Content-Type': type }),
      ...(key !== undefined && { 'Idempotency-Key': key }),
    },
    ...(body !== undefined && { body }),
  });
  const retryAfter = response.headers.get('Retry-After');
  return {
    status: response.status,
    text: await response.text(),
    ...(retryAfter !== null && { retryAfter: Number(retryAfter) }),
  };
}

const get = async (path) => JSON.parse(await send('GET', `/api/v1${path}`));
const post = async (path, body, key) =>
  JSON.parse(await send('POST', `/api/v1${path}`, { body: JSON.stringify(body), key }));

async function graphql(query, variables) {
  const { data, errors } = JSON.parse(await send('POST', '/graphql', { body: JSON.stringify({ query, variables }) }));
  if (errors) throw new Error(errors[0].message);
  return data;
}

const parseLines = (text) => text.split('\n').filter(Boolean).map(JSON.parse);

async function load(customers) {
  const body = customers.map((customer) => `${JSON.stringify(customer)}\n`).join('');
  const started = await send('POST', '/api/v1/bulk-operations?resource=customers&action=upsert', {
    body,
    type: 'application/jsonl',
    key: `customers-${RUN}`,
  });
  let { data: operation } = JSON.parse(started);
  for (let seconds = 1; ['pending', 'running'].includes(operation.status); seconds = Math.min(seconds * 2, 30)) {
    await sleep(seconds * 1000);
    ({ data: operation } = await get(`/bulk-operations/${operation.id}`));
  }
  const results = parseLines(await send('GET', `/api/v1/bulk-operations/${operation.id}/results`));
  const failed = results.filter(({ status }) => status >= 400);
  for (const { line, message } of failed) print(`line ${line}: ${message}`);
  print(`${operation.status}: ${operation.succeeded_lines} of ${operation.lines} customers`);
}

/** At most 100 at a time: each batch is one request. */
async function bill(invoices) {
  for (let at = 0; at < invoices.length; at += 100) {
    const batch = invoices.slice(at, at + 100);
    const ids = await findCustomers(batch.map(({ customer }) => customer));
    const items = batch.map(({ customer, ...invoice }) => ({
      ...invoice,
      customer_id: ids.get(customer),
      status: 'issued',
    }));
    const { results } = await post('/invoices/batch', { items, atomic: true }, `invoices-${at}`);
    print(`${results.length} invoices: ${results[0].data.number} to ${results.at(-1).data.number}`);
  }
}

/** The ids of customers, by those of the other system. */
async function findCustomers(externalIds) {
  const query = `query ($filter: CustomerFilter, $after: String) {
    customers(filter: $filter, first: 100, after: $after) {
      nodes { id externalId }
      pageInfo { hasNextPage endCursor }
    }
  }`;
  const ids = new Map();
  let after = null;
  do {
    const { customers } = await graphql(query, { filter: { externalId: { in: [...new Set(externalIds)] } }, after });
    for (const { id, externalId } of customers.nodes) ids.set(externalId, id);
    after = customers.pageInfo.hasNextPage ? customers.pageInfo.endCursor : null;
  } while (after !== null);
  return ids;
}

async function pay(number) {
  const { data } = await get(`/invoices?${new URLSearchParams({ q: number })}`);
  const invoice = data.find((each) => each.number === number);
  const paid = await post(`/invoices/${invoice.id}/payments`, { paid_on: '2026-06-01' }, `payment-of-${number}`);
  print(`${number} is ${paid.data.status}`);
}

/** One request: the largest invoices that are overdue, and what is due of all of them. */
async function page(country) {
  const { invoices, sums } = await graphql(
    `
      query ($filter: InvoiceFilter) {
        invoices(filter: $filter, orderBy: [{ field: AMOUNT_DUE, direction: DESC }], first: 10) {
          totalCount
          nodes {
            number
            dueDate
            amountDue
            currency
            customer {
              companyName
            }
          }
        }
        sums: invoicesAggregate(filter: $filter, groupBy: [CURRENCY]) {
          currency
          count
          sums {
            amountDue
          }
        }
      }
    `,
    { filter: { isOverdue: { eq: true }, customer: { country: { eq: country } } } },
  );
  for (const { currency, count, sums: of } of sums) print(`${of.amountDue} ${currency} of ${count} invoices`);
  for (const { number, dueDate, amountDue, currency, customer } of invoices.nodes)
    print(`${number} ${dueDate} ${amountDue} ${currency} ${customer.companyName}`);
  print(`${invoices.nodes.length} of ${invoices.totalCount}`);
}

const print = (line) => stdout.write(`${line}\n`);

const [, , command, argument] = argv;
if (command === 'load') await load(JSON.parse(await readFile(argument, 'utf8')));
else if (command === 'bill') await bill(JSON.parse(await readFile(argument, 'utf8')));
else if (command === 'pay') await pay(argument);
else await page(argument);
