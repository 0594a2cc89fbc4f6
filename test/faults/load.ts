import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { customer, invoice, item } from '../rest/samples.ts';

/** A write that was sent, once or, with a key, until it was answered. */
export interface Write {
  /** Its rows have this name or subject; of two rows, ` 1` and ` 2` follow. */
  mark: string;
  table: 'customers' | 'invoices';
  rows: 1 | 2;
  key?: string;
  /** When it was first sent, by performance.now(). */
  begun: number;
  /** Whether it was answered that it is done. */
  acknowledged: boolean;
  /** The response's name of the row. */
  id?: string;
}

/** The outcome of a request that was sent. */
export interface Answer {
  /** When it was sent, by performance.now(). */
  at: number;
  ms: number;
  /** `none` for a connection that was cut before the response. */
  outcome: 'done' | 'unavailable' | 'none' | 'internal' | 'wrong';
}

export interface Load {
  writes: Write[];
  answers: Answer[];
  /** Responses that differ from the documented ones. */
  wrong: string[];
  /** How often nothing was acknowledged: the documented 503, or no answer at all; and internal errors. */
  faults: { unavailable: number; unanswered: number; internal: number };
  /** The longest that a client waited for any answer, in milliseconds; since `begun`, a performance.now(), if given. */
  longestMs(begun?: number): number;
  acknowledged(): number;
  /** Sends nothing new, and what has a key until it is answered. */
  stop(): Promise<void>;
  /** Sends nothing more. */
  abandon(): Promise<void>;
}

export interface Target {
  token: string;
  customerId: string;
  /** Gateways, any of which will do. */
  urls: string[];
  clients?: number;
  /** The share of writes that have an Idempotency-Key, and are sent until they are answered; by default half. */
  keyed?: number;
  /** Milliseconds between two writes of one client, at most. */
  pauseMs?: number;
}

/** Longer than any answer may take, faults or not. */
const patienceMs = 30_000;

/** Writes of every kind, until told to stop. A client whose gateway fails turns to the next, as behind a balancer. */
export function startLoad({ token, customerId, urls, clients = 4, keyed = 0.5, pauseMs = 60 }: Target): Load {
  const load: Pick<Load, 'writes' | 'answers' | 'wrong' | 'faults'> = {
    writes: [],
    answers: [],
    wrong: [],
    faults: { unavailable: 0, unanswered: 0, internal: 0 },
  };
  const stopping = new AbortController();
  const abandoning = new AbortController();

  const send = async (url: string, { mark, key }: Write, { path, body }: Sent): Promise<string | undefined> => {
    const begun = performance.now();
    let outcome: Answer['outcome'] = 'wrong';
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    };
    try {
      const signal = AbortSignal.any([abandoning.signal, AbortSignal.timeout(patienceMs)]);
      const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body), signal });
      const text = await answer.text();
      if (isUnavailable(answer, text) || isBusy(answer, text)) {
        outcome = 'unavailable';
        load.faults.unavailable += 1;
      } else if (isFault(answer, text)) {
        outcome = 'internal';
        load.faults.internal += 1;
      } else {
        const id = idIn(answer.status, text);
        if (id === undefined) load.wrong.push(`${mark}: ${answer.status} ${text}`);
        else outcome = 'done';
        return id;
      }
    } catch (error) {
      if ((error as Error).name === 'TimeoutError') load.wrong.push(`${mark}: no answer in ${patienceMs} ms`);
      else outcome = 'none';
      load.faults.unanswered += 1;
    } finally {
      load.answers.push({ at: begun, ms: performance.now() - begun, outcome });
    }
    return undefined;
  };

  const client = async (start: number): Promise<void> => {
    let at = start;
    while (!stopping.signal.aborted) {
      const [write, sent] = anyWrite(customerId, keyed);
      load.writes.push(write);
      do {
        const id = await send(urls[at % urls.length] ?? '', write, sent);
        if (id !== undefined) Object.assign(write, { acknowledged: true, id });
        else {
          at += 1;
          await sleep(200);
        }
        await sleep(Math.random() * pauseMs);
      } while (write.key !== undefined && !write.acknowledged && !abandoning.signal.aborted);
    }
  };
  const running = Promise.all(Array.from({ length: clients }, (_each, index) => client(index)));
  return {
    ...load,
    longestMs: (begun = 0) =>
      load.answers.reduce((longest, { at, ms }) => (at + ms >= begun ? Math.max(longest, Math.round(ms)) : longest), 0),
    acknowledged: () => load.writes.filter(({ acknowledged }) => acknowledged).length,
    stop: async () => {
      stopping.abort();
      await running;
    },
    abandon: async () => {
      stopping.abort();
      abandoning.abort();
      await running;
    },
  };
}

interface Sent {
  path: string;
  body: object;
}

/** Becoming overdue would be an event of its own. */
const notDue = '2099-12-31';
const twoItems = [item, { title: 'Reise', quantity: '2.5', unit_price_net: '19.99', vat_rate: 7 }];

/** One of: customers and invoices, one or two as a whole, over REST and GraphQL, with a key and without. */
function anyWrite(customerId: string, keyed: number): [Write, Sent] {
  const mark = randomUUID();
  const key = Math.random() < keyed ? { key: mark } : {};
  const write = (table: Write['table'], rows: Write['rows'] = 1): Write => ({
    mark,
    table,
    rows,
    ...key,
    begun: performance.now(),
    acknowledged: false,
  });
  const rest = (resource: string, body: object): Sent => ({ path: `/api/v1${resource}`, body });
  const graphql = (query: string, variables: object): Sent => ({ path: '/graphql', body: { query, variables } });
  switch (Math.floor(Math.random() * 5)) {
    case 0:
      return [write('customers'), rest('/customers', { ...customer, company_name: mark })];
    case 1: {
      const body = { ...invoice(customerId), due_date: notDue, subject: mark, status: 'issued', items: twoItems };
      return [write('invoices'), rest('/invoices', body)];
    }
    case 2: {
      const items = [{ title: 'Beratung', quantity: '1', unitPriceNet: '100', vatRate: '19' }];
      const input = { customerId, invoiceDate: '2026-03-01', dueDate: notDue, subject: mark, items };
      return [write('invoices'), graphql(createInvoice, { input })];
    }
    case 3: {
      const [one, two] = [1, 2].map((n) => ({ type: 'CUSTOMER', companyName: `${mark} ${n}` }));
      return [write('customers', 2), graphql(createTwo, { one, two })];
    }
    default: {
      const items = [1, 2].map((n) => ({ ...customer, company_name: `${mark} ${n}` }));
      return [write('customers', 2), rest('/customers/batch', { items, atomic: true })];
    }
  }
}

const createInvoice = 'mutation ($input: CreateInvoiceInput!) { made: createInvoice(input: $input) { id } }';
const createTwo = `mutation ($one: CreateCustomerInput!, $two: CreateCustomerInput!) {
  made: createCustomer(input: $one) { id }
  other: createCustomer(input: $two) { id }
}`;

interface Answered {
  data?: { id?: string; made?: { id: string } | null } | null;
  results?: { data?: { id: string } }[];
  message?: string;
  request_id?: string;
  errors?: { extensions?: { code?: string; requestId?: string } }[];
}

/** Whether it is the documented answer while the service can't answer, of either API. */
export function isUnavailable({ status, headers }: Pick<Response, 'status' | 'headers'>, text: string): boolean {
  if (status !== 503) return false;
  const { message, request_id, errors } = JSON.parse(text) as Answered;
  const isRest = typeof message === 'string' && request_id === headers.get('x-request-id');
  const isGraphql = errors?.some(({ extensions }) => extensions?.code === 'UNAVAILABLE') === true;
  return /^\d+$/.test(headers.get('retry-after') ?? '') && (isRest || isGraphql);
}

/** Whether it is the documented answer while a tenant's share of connections is in use: statements that hang keep theirs. */
const isBusy = ({ status, headers }: Pick<Response, 'status' | 'headers'>, text: string): boolean =>
  status === 429 && /^\d+$/.test(headers.get('retry-after') ?? '') && text.includes('too many requests under way');

/** Whether it is the documented answer to a fault of ours, of either API. */
export function isFault({ status, headers }: Pick<Response, 'status' | 'headers'>, text: string): boolean {
  const requestId = headers.get('x-request-id');
  if (requestId === null || !headers.get('content-type')?.includes('json')) return false;
  const { message, request_id, errors } = JSON.parse(text) as Answered;
  if (status === 500 && typeof message === 'string' && request_id === requestId) return true;
  return (errors ?? []).some(
    ({ extensions }) => extensions?.code === 'INTERNAL_SERVER_ERROR' && extensions.requestId === requestId,
  );
}

function idIn(status: number, text: string): string | undefined {
  if (status >= 300) return undefined;
  const { data, results, errors } = JSON.parse(text) as Answered;
  return errors ? undefined : (data?.id ?? data?.made?.id ?? results?.[0]?.data?.id);
}
