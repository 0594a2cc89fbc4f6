import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../rest-shim/routes.ts';
import { toSchema } from '../../schema/index.ts';
import { beginAttempts, endAttempts } from '../../schema/resources/delivery/attempts.ts';
import { begin, complete, fail } from '../../schema/resources/export/transitions.ts';
import { failOperation } from '../../schema/resources/bulk-operation/run.ts';
import { transitions, type Transition } from '../../schema/rows/states.ts';
import { buildStates } from '../../src/pages/states.ts';
import { camt, imported } from '../bank/statement.ts';
import { startBulk } from '../bulk/start.ts';
import { startExport } from '../exports/exports.ts';
import {
  item,
  makeBankTransaction,
  makeCreditNote,
  makeCustomer,
  makeInvoice,
  makePayment,
  makeReceipt,
} from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { byHand, createWebhook, schedule, startReceiver, status, work } from '../webhooks/receiver.ts';

// The page /docs/states and the mutations have one table of transitions. Here the database notes each state that it sees while
// all of them happen: it must see exactly those of the table.

const tables = {
  Invoice: ['invoices', 'status'],
  Receipt: ['receipts', 'status'],
  BankTransaction: ['bank_transactions', 'match_status'],
  Delivery: ['deliveries', 'state'],
  BulkOperation: ['bulk_operations', 'status'],
  Export: ['exports', 'status'],
} as const satisfies Record<keyof typeof transitions, readonly [string, string]>;
type Model = keyof typeof tables;
const models = Object.keys(tables) as Model[];

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  await service.pool.query(`
    create table seen (model text, step text);
    grant all on seen to public;
    create function note_state() returns trigger language plpgsql security definer as $$
    declare
      now_is text := upper(to_jsonb(new) ->> tg_argv[1]);
      was text := case when tg_op = 'UPDATE' then upper(to_jsonb(old) ->> tg_argv[1]) else 'new' end;
    begin
      if now_is is distinct from was then insert into public.seen values (tg_argv[0], was || ' > ' || now_is); end if;
      return null;
    end $$;`);
  for (const model of models) {
    const [table, column] = tables[model];
    await service.pool.query(
      `create trigger note_state after insert or update on ${table} for each row execute function note_state('${model}', '${column}')`,
    );
  }
});
afterAll(() => service.close());

const listSteps = ({ from, to }: Transition): string[] =>
  (from.length === 0 ? ['new'] : from).flatMap((start) =>
    to.filter((end) => end !== start).map((end) => `${start} > ${end}`),
  );
const declared = (model: Model): string[] =>
  [...new Set(Object.values<Transition>(transitions[model]).flatMap(listSteps))].toSorted();
const seen = async (model: Model): Promise<string[]> => {
  const { rows } = await service.pool.query('select distinct step from seen where model = $1', [model]);
  return rows.map(({ step }) => String(step)).toSorted();
};

const run = async (mutation: string, id: string, more = ''): Promise<void> =>
  void (await acme.graphql(`mutation { ${mutation}(id: "${id}"${more}) { id } }`));
const paymentsOf = async (field: string, id: string): Promise<string[]> => {
  const { row } = await acme.graphql(`{ row: ${field}(id: "${id}") { payments { nodes { id } } } }`);
  return row.payments.nodes.map((payment: { id: string }) => payment.id);
};
const undoPayments = async (field: string, id: string): Promise<void> => {
  for (const payment of await paymentsOf(field, id)) await run('reversePayment', payment);
};

describe('the database sees exactly the transitions of the table', () => {
  it('of invoices', async () => {
    await run('deleteInvoice', await makeInvoice(acme));
    await makeInvoice(acme, { status: 'PAID' });
    const invoice = await makeInvoice(acme);
    await run('issueInvoice', invoice);
    await makePayment(acme, invoice, '19');
    await makePayment(acme, invoice);
    await undoPayments('invoice', invoice);
    await run('cancelInvoice', invoice);
    await makeCreditNote(acme, { invoiceId: await makeInvoice(acme, { status: 'ISSUED' }) });
    expect(await seen('Invoice')).toEqual(declared('Invoice'));
  });

  it('of receipts', async () => {
    await run('deleteReceipt', await makeReceipt(acme));
    await run('reverseReceipt', await makeReceipt(acme, { status: 'BOOKED' }));
    const receipt = await makeReceipt(acme);
    await run('bookReceipt', receipt);
    await run('payReceipt', receipt);
    await undoPayments('receipt', receipt);
    // As importReceipts() writes one of zero that is paid.
    const zero = {
      amountGross: 0,
      amountNet: 0,
      vatAmount: 0,
      vatRate: 0,
      status: 'PAID',
      paidAt: new Date(),
    } as const;
    const receiptDate = new Date('2026-03-01');
    const { id } = await acme.db.receipt.create({ data: { receiptDate, currency: 'EUR', ...zero } });
    await run('reverseReceipt', id);
    expect(await seen('Receipt')).toEqual(declared('Receipt'));
  });

  it('of bank transactions', async () => {
    const { number } = (await acme.rest('GET', `/invoices/${await makeInvoice(acme, { status: 'ISSUED' })}`)).body.data;
    await imported(service, acme, camt([{ amount: '119', reference: number }, { amount: '0' }, { amount: '238' }]));
    const { id } = await acme.db.bankTransaction.findFirstOrThrow({ where: { amount: 238 } });
    const match = async (invoice: string) =>
      run('matchBankTransaction', id, `, matches: { type: INVOICE, id: "${invoice}" }`);
    const first = await makeInvoice(acme, { status: 'ISSUED' });
    const second = await makeInvoice(acme, { status: 'ISSUED' });
    const whole = await makeInvoice(acme, { status: 'ISSUED', items: [{ ...item, quantity: '2' }] });
    await run('ignoreBankTransaction', id);
    await run('unignoreBankTransaction', id);
    await match(first);
    await match(second);
    await run('unmatchBankTransaction', id, `, matched: "${second}"`);
    await run('unmatchBankTransaction', id);
    await match(whole);
    await run('unmatchBankTransaction', id);
    expect(await seen('BankTransaction')).toEqual(declared('BankTransaction'));
  });

  it('of deliveries', async () => {
    const code = { now: 200 };
    const receiver = await startReceiver((response) => status(code.now)(response));
    const hand = byHand(service, acme);
    service.clock.now = new Date('2026-06-01T12:00:00Z');
    const { id: webhookId } = await createWebhook(acme, { url: receiver.url, events: ['customer.created'] });
    try {
      await makeCustomer(acme);
      await hand.run();
      code.now = 500;
      await makeCustomer(acme);
      for (const delay of [0, ...schedule]) {
        service.clock.now = new Date(service.clock.now.getTime() + delay * 1.2);
        await hand.run();
      }
      // Turned off while attempts are under way, and while others wait; events then are set aside at once.
      await makeCustomer(acme);
      await hand.run();
      await makeCustomer(acme);
      await acme.graphql(`mutation { updateWebhook(id: "${webhookId}", input: { active: false }) { id } }`);
      await hand.run();
      const rules = { retryDelaysMs: [], attemptMs: 25_000 };
      await acme.graphql(`mutation { enableWebhook(id: "${webhookId}") { id } }`);
      for (const success of [true, false]) {
        await makeCustomer(acme);
        const { id: eventId } = await acme.db.event.findFirstOrThrow({
          where: { fannedOutAt: null },
          orderBy: { id: 'desc' },
        });
        const now = service.clock.now;
        await acme.db.event.update({
          where: { tenantId_id: { tenantId: acme.tenantId, id: eventId } },
          data: { fannedOutAt: now },
        });
        const { id } = await acme.db.delivery.create({ data: { webhookId, eventId, nextAttemptAt: now } });
        await beginAttempts(acme.db, [id], now, rules, () => ({}));
        const where = { tenantId_id: { tenantId: acme.tenantId, id } };
        await acme.db.delivery.update({ where, data: { state: 'SET_ASIDE', nextAttemptAt: null, finishedAt: now } });
        const ended = { status: null, responseHeaders: null, responseBody: Buffer.of(), error: null, durationMs: 1 };
        await endAttempts(acme.db, [{ deliveryId: id, number: 1, success, ...ended }], now, rules);
      }
    } finally {
      service.clock.now = undefined;
      await hand.close();
      await receiver.close();
    }
    expect(await seen('Delivery')).toEqual(declared('Delivery'));
  });

  it('of bulk operations and exports', async () => {
    const context = await service.contextOf(acme);
    const bulk = () => startBulk(acme, 'projects', 'create', '{"name":"Website"}\n');
    const file = () => startExport(acme, { type: 'list', resource: 'customers', format: 'csv' });
    const setRunning = async (id: string) =>
      acme.db.bulkOperation.update({
        where: { tenantId_id: { tenantId: acme.tenantId, id } },
        data: { status: 'RUNNING' },
      });
    await acme.rest('POST', `/bulk-operations/${await bulk()}/cancel`);
    await failOperation(context, await bulk(), 'It broke.');
    for (const end of [
      (id: string) => acme.rest('POST', `/bulk-operations/${id}/cancel`),
      (id: string) => failOperation(context, id, 'It broke.'),
    ]) {
      const id = await bulk();
      await setRunning(id);
      await end(id);
    }
    await acme.rest('POST', `/exports/${await file()}/cancel`);
    await fail(context, await file(), 'It broke.');
    for (const end of [
      (id: string) => acme.rest('POST', `/exports/${id}/cancel`),
      (id: string) => fail(context, id, 'It broke.'),
    ]) {
      const id = await file();
      expect(await begin(context, id)).toBe(true);
      await end(id);
    }
    const stored = { fileName: 'a.csv', length: 1, sha256: Buffer.alloc(32), expiresAt: new Date() };
    const done = await file();
    await begin(context, done);
    expect(await complete(context, done, 1, stored)).toBe(true);
    expect(await seen('Export')).toEqual(declared('Export'));

    const id = await bulk();
    const worker = await work(service);
    try {
      await expect
        .poll(async () => (await acme.rest('GET', `/bulk-operations/${id}`)).body.data.status, { timeout: 30_000 })
        .toBe('completed');
    } finally {
      await worker.stop();
    }
    expect(await seen('BulkOperation')).toEqual(declared('BulkOperation'));
  });
});

describe('a mutation is refused in every state that its transition doesn’t begin with', () => {
  const where = (id: string) => ({ where: { tenantId_id: { tenantId: acme.tenantId, id } } });
  const invoiceIn: Record<string, () => Promise<string>> = {
    DRAFT: () => makeInvoice(acme),
    ISSUED: () => makeInvoice(acme, { status: 'ISSUED' }),
    PAID: () => makeInvoice(acme, { status: 'PAID' }),
    async CANCELLED() {
      const id = await makeInvoice(acme, { status: 'ISSUED' });
      await run('cancelInvoice', id);
      return id;
    },
  };
  const receiptIn: Record<string, () => Promise<string>> = {
    DRAFT: () => makeReceipt(acme),
    BOOKED: () => makeReceipt(acme, { status: 'BOOKED' }),
    async PAID() {
      const id = await makeReceipt(acme, { status: 'BOOKED' });
      await run('payReceipt', id);
      return id;
    },
    async REVERSED() {
      const id = await makeReceipt(acme, { status: 'BOOKED' });
      await run('reverseReceipt', id);
      return id;
    },
  };
  const transactionIn = (state: string) => () => makeBankTransaction(acme, { matchStatus: state });
  const ended = (state: string) =>
    ['PENDING', 'RUNNING'].includes(state) ? {} : { finishedAt: new Date(), slot: null };
  const bulkIn = (state: string) => async () => {
    const id = await startBulk(acme, 'projects', 'create', '{"name":"Website"}\n');
    await acme.db.bulkOperation.update({ ...where(id), data: { status: state as 'PENDING', ...ended(state) } });
    return id;
  };
  const exportIn = (state: string) => async () => {
    const id = await startExport(acme, { type: 'list', resource: 'customers', format: 'csv' });
    const file =
      state === 'COMPLETED' ? { fileName: 'a.csv', length: 1, sha256: Buffer.alloc(32), expiresAt: new Date() } : {};
    await acme.db.export.update({ ...where(id), data: { status: state as 'PENDING', ...ended(state), ...file } });
    return id;
  };
  const all = (states: readonly string[], make: (state: string) => () => Promise<string>) =>
    Object.fromEntries(states.map((state) => [state, make(state)]));
  const jobs = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'];
  const matches = ['UNMATCHED', 'PARTIALLY_MATCHED', 'MATCHED', 'IGNORED'];

  const cases: [string, Transition, Record<string, () => Promise<string>>][] = [
    ['issueInvoice', transitions.Invoice.issue, invoiceIn],
    ['payInvoice', transitions.Invoice.settle, invoiceIn],
    ['cancelInvoice', transitions.Invoice.cancel, invoiceIn],
    ['deleteInvoice', transitions.Invoice.delete, invoiceIn],
    ['bookReceipt', transitions.Receipt.book, receiptIn],
    ['payReceipt', transitions.Receipt.settle, receiptIn],
    ['reverseReceipt', transitions.Receipt.reverse, receiptIn],
    ['matchBankTransaction', transitions.BankTransaction.match, all(matches, transactionIn)],
    ['unmatchBankTransaction', transitions.BankTransaction.unmatch, all(matches, transactionIn)],
    ['ignoreBankTransaction', transitions.BankTransaction.ignore, all(matches, transactionIn)],
    ['unignoreBankTransaction', transitions.BankTransaction.unignore, all(matches, transactionIn)],
    ['cancelBulkOperation', transitions.BulkOperation.cancel, all(jobs, bulkIn)],
    ['cancelExport', transitions.Export.cancel, all(jobs, exportIn)],
  ];

  it.each(cases)('%s', async (mutation, { from, by }, states) => {
    expect(by).toContain(mutation);
    const invoice = await makeInvoice(acme, { status: 'ISSUED' });
    const more =
      mutation === 'matchBankTransaction' ? `, matches: { type: INVOICE, id: "${invoice}", amount: "1" }` : '';
    const refused: string[] = [];
    for (const [state, make] of Object.entries(states)) {
      const { body } = await acme.graphqlAnswer(`mutation { ${mutation}(id: "${await make()}"${more}) { id } }`);
      const [detail] = body.errors?.[0].extensions.details ?? [];
      // A row of which something is paid is in the right state, and refused for that.
      if (/status$/i.test(detail?.field ?? '')) refused.push(state);
      else expect([state, body.errors === undefined || /in_use|wrong_state/.test(detail?.code)]).toEqual([state, true]);
    }
    expect(refused).toEqual(Object.keys(states).filter((state) => !from.includes(state)));
  });
});

describe('the page', () => {
  it('names only mutations of the schema, and all transitions that REST has of these resources', () => {
    const mutations = toSchema().getMutationType()?.getFields() ?? {};
    const named = models.flatMap((model) => Object.values<Transition>(transitions[model]).flatMap(({ by }) => by));
    expect(named.filter((name) => !(name in mutations))).toEqual([]);
    const page = buildStates();
    const missing = routes
      .filter(
        ([method, path]) =>
          method === 'POST' && /^\/(invoices|receipts|bulk-operations|exports|payments)\/:id\/(?!attach)/.test(path),
      )
      .filter(([, path]) => !page.includes(`\`POST ${path.replace(':id', '{id}')}\``));
    expect(missing).toEqual([]);
  });

  it('has every state of the schema, as the database has them', () => {
    const page = buildStates();
    for (const model of models) {
      const states = [...new Set(Object.values<Transition>(transitions[model]).flatMap(({ to }) => to))];
      for (const state of states) expect(page).toMatch(new RegExp(`^\\| \`${state.toLowerCase()}\` \\| \\S`, 'm'));
    }
  });
});
