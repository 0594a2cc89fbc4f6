import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createGraphqlHandler } from '../../src/graphql/handler.ts';
import { createDatabase, startService, type Answer, type Integrator, type Service } from '../harness.ts';
import { booksOf, eventsDuring, eventsOf, makeInvoice, refusal } from '../graphql/books.ts';
import { listen, type Statement } from '../isolation/statements.ts';
import { kontor } from '../processes/npm.ts';
import { account, balance, camt, document, form, imported, many, send, upload, type Entry } from './statement.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  acme = await service.integrator();
});
afterAll(() => service.close());

const id = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
const faultsSince = (logged: number): string[] =>
  service.log.slice(logged).filter((line) => JSON.parse(line).level > 30);

const received: Entry = {
  amount: '119.00',
  date: '2026-03-02',
  valueDate: '2026-03-03',
  id: 'B1',
  name: 'Globex GmbH',
  iban: 'FR7630006000011234567890189',
  reference: 'Thanks a lot',
};
const sent: Entry = { amount: '-12.34567', currency: 'CHF', reference: 'Rent' };
const receivedRow = {
  id,
  external_id: 'B1',
  account_iban: account,
  booking_date: '2026-03-02',
  value_date: '2026-03-03',
  amount: 119,
  currency: 'EUR',
  counterparty_name: 'Globex GmbH',
  counterparty_iban: 'FR7630006000011234567890189',
  reference: 'Thanks a lot',
  match_status: 'unmatched',
  amount_open: 119,
  matches: [],
  created_at: time,
  updated_at: time,
};
const sentRow = {
  ...receivedRow,
  external_id: null,
  value_date: null,
  amount: -12.34567,
  currency: 'CHF',
  counterparty_name: null,
  counterparty_iban: null,
  reference: 'Rent',
  amount_open: -12.34567,
};

describe('importBankStatement', () => {
  it('answers imported, skipped, matched and warnings; each field is as the bank sent it', async () => {
    const file = camt([received, sent], balance('OPBD', '1.00') + balance('CLBD', '2.00'));
    expect(await imported(service, acme, file)).toEqual({
      imported: 2,
      skipped: 0,
      matched: 0,
      warnings: [expect.stringMatching(/^Statement 1 doesn't add up/)],
    });
    const { status, body } = await acme.rest('GET', '/bank-transactions');
    expect(status).toBe(200);
    // Newest first; a file's last entry is its newest.
    expect(body.data).toEqual([sentRow, receivedRow]);
    expect(body.meta.total).toBe(2);
    const single = await acme.rest('GET', `/bank-transactions/${body.data[1].id}`);
    expect(single.body).toEqual({ data: body.data[1] });
  });

  it('importing it again, or an overlapping one, adds nothing twice and drops nothing', async () => {
    const days: Entry[] = ['2026-03-01', '2026-03-02', '2026-03-03'].flatMap((date) => [
      { amount: '10.00', date, reference: 'Fee' },
      { amount: '10.00', date, reference: 'Fee' }, // truly two
      { amount: '20.00', date, id: 'B7', reference: 'Other' },
    ]);
    expect(await imported(service, acme, camt(days.slice(0, 6)))).toMatchObject({ imported: 6, skipped: 0 });
    const before = await booksOf(service, acme);
    expect(await imported(service, acme, camt(days.slice(0, 6)))).toMatchObject({ imported: 0, skipped: 6 });
    expect(await booksOf(service, acme)).toEqual(before);
    expect(await imported(service, acme, camt(days.slice(3)))).toMatchObject({ imported: 3, skipped: 3 });
    const rows = await acme.db.bankTransaction.findMany({ orderBy: { id: 'asc' } });
    expect(rows.map((row) => [row.bookingDate.toISOString().slice(0, 10), Number(row.amount)])).toEqual(
      days.map(({ date, amount }) => [date, Number(amount)]),
    );
  });

  it('known transactions are found by their identity’s index, though PostgreSQL has no statistics yet', async () => {
    const own = await startService();
    onTestFinished(() => own.close());
    await own.pool.query('alter table bank_transactions set (autovacuum_enabled = false)');
    const globex = await own.integrator();
    const file = camt(many(1000));
    expect(await imported(own, globex, file)).toMatchObject({ imported: 1000 });
    const lookups: Statement[] = [];
    onTestFinished(
      listen((statement) => {
        const { text } = statement;
        if (text.startsWith('select') && text.includes('identity') && text.includes('bank_transactions'))
          lookups.push(statement);
      }),
    );
    expect(await imported(own, globex, file)).toMatchObject({ skipped: 1000 });
    expect(lookups.length).toBeGreaterThan(0);
    for (const { text, values } of lookups) {
      const { rows } = await own.pool.query(`explain ${text}`, values);
      const plan = rows.map((row: { 'QUERY PLAN': string }) => row['QUERY PLAN']).join('\n');
      expect(plan).toContain('Index Cond: ((tenant_id = ');
      expect(plan).toContain('bank_transactions_tenant_id_identity_key');
      expect(plan).not.toContain('Seq Scan on bank_transactions');
    }
  });

  it('what one tenant imported is new to another', async () => {
    await imported(service, acme, camt([received]));
    const globex = await service.integrator();
    expect(await imported(service, globex, camt([received]))).toMatchObject({ imported: 1, skipped: 0 });
  });

  it('a CSV with the mapping that the user gives', async () => {
    const csv = {
      dateFormat: 'DD.MM.YYYY',
      decimalSeparator: ',',
      skipLines: 1,
      currency: 'EUR',
      columns: {
        bookingDate: 'Datum',
        valueDate: '2',
        amount: 'Betrag',
        accountIban: 'Konto',
        counterpartyName: 'Name',
        reference: ['Zweck', 'Referenz'],
      },
    };
    const file = `Export vom 3. März\nDatum;Wert;Betrag;Konto;Name;Zweck;Referenz\n02.03.2026;03.03.2026;1.119,00;${account};"Müller; Söhne";Danke;R1\n`;
    const latin = Uint8Array.from(Buffer.from(file, 'latin1'));
    expect(await imported(service, acme, latin, { format: 'CSV', csv })).toMatchObject({ imported: 1, warnings: [] });
    expect((await acme.rest('GET', '/bank-transactions')).body.data).toEqual([
      {
        ...receivedRow,
        external_id: null,
        amount: 1119,
        amount_open: 1119,
        counterparty_name: 'Müller; Söhne',
        counterparty_iban: null,
        reference: 'Danke R1',
      },
    ]);
    expect(refusal(await upload(service, acme, file, { format: 'CSV' }))).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: { file: [expect.stringMatching(/needs a mapping/)] },
    });
    const wrong = { ...csv, decimalSeparator: ';' };
    expect(refusal(await upload(service, acme, file, { csv: wrong })).errors).toEqual({
      'csv.decimalSeparator': ['Must be , or . .'],
    });
  });

  it('bank_transaction.created: one per new transaction, its data as REST answers it', async () => {
    let rows: { id: string }[] = [];
    const events = await eventsDuring(service, acme, async () => {
      await imported(service, acme, camt([received, sent, received]));
      rows = (await acme.rest('GET', '/bank-transactions')).body.data;
    });
    expect(events.map(({ type }) => type)).toEqual(Array.from({ length: 3 }, () => 'bank_transaction.created'));
    expect(events.map(({ body }) => body.data)).toEqual(rows.toReversed().map((row) => ({ bank_transaction: row })));
    expect(await eventsDuring(service, acme, () => imported(service, acme, camt([received, sent])))).toEqual([]);
  });
});

describe('the whole file or nothing; a broken file says where and why', () => {
  const large = camt(many(1200)); // more than is written at once
  const cases: [string, string, RegExp][] = [
    ['cut off', large.slice(0, -40), /^Line 12\d\d: this is no well-formed XML: unclosed tag: \w+/],
    [
      'with an amount that is none',
      large.replace('>900.50<', '>9OO.50<'),
      /^Line 90\d, statement 1, entry 900: this amount is no number/,
    ],
    ['empty', '', /^This file is empty\.$/],
    ['of another kind', '%PDF-1.7', /^This file is a PDF/],
    [
      'without a statement',
      '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.04"><BkToCstmrStmt/></Document>',
      /holds no statement/,
    ],
  ];
  it.each(cases)('one that is %s', async (_what, file, message) => {
    const before = await booksOf(service, acme);
    const logged = service.log.length;
    expect(refusal(await upload(service, acme, file))).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: { file: [expect.stringMatching(message)] },
    });
    expect(await booksOf(service, acme)).toEqual(before);
    expect(faultsSince(logged)).toEqual([]);
  });
});

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const used = (): number => {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

describe('a multipart upload of at most 64 MiB, streamed', () => {
  const boundary = 'a-boundary';
  const part = (name: string, value: string, more = ''): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}`;
  const start =
    `${part('operations', JSON.stringify({ query: document, variables: { file: null } }))}\r\n` +
    `${part('map', '{"f":["variables.file"]}')}\r\n${part('f', '', '; filename="f.xml"')}`;
  /** Sends a form whose file is made as it goes. */
  const sendChunks = (chunks: () => Generator<string>, end = `\r\n--${boundary}--\r\n`): Promise<Answer> => {
    async function* body(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(start);
      for (const chunk of chunks()) yield Buffer.from(chunk);
      yield Buffer.from(end);
    }
    return send(service, Readable.from(body()) as unknown as BodyInit, {
      authorization: `Bearer ${acme.token}`,
      'content-type': `multipart/form-data; boundary=${boundary}`,
    });
  };

  const [beginning = '', end = ''] = camt([received]).split(/(?=<\/Stmt>)/);
  /** A statement with as many bytes as wanted, most of them of no interest. */
  function* statementOf(bytes: number): Generator<string> {
    yield beginning;
    let left = bytes - Buffer.byteLength(beginning + end);
    for (; left >= 1_000_000; left -= 500_000) yield `<Any>${' '.repeat(500_000 - 11)}</Any>`;
    yield `<Any>${' '.repeat(left - 11)}</Any>`;
    yield end;
  }

  it('a longer one is refused without being held in memory', async () => {
    const before = used();
    let most = 0;
    let pieces = 0;
    const answer = await sendChunks(function* chunks() {
      for (const piece of statementOf(64 * 1024 * 1024 + 1)) {
        if (++pieces % 16 === 0) most = Math.max(most, used() - before);
        yield piece;
      }
    });
    expect(refusal(answer)).toMatchObject({ code: 'VALIDATION_FAILED', errors: { file: ['Must be at most 64 MiB.'] } });
    expect(await acme.db.bankTransaction.count()).toBe(0);
    expect(pieces).toBeGreaterThan(100);
    expect(most).toBeLessThan(45e6); // both ends of the connection are here
  });

  it('one of just 64 MiB is read', async () => {
    const answer = await sendChunks(() => statementOf(64 * 1024 * 1024));
    expect(answer.body).toEqual({ data: { imported: { imported: 1, skipped: 0, matched: 0, warnings: [] } } });
  }, 120_000);

  it('a broken one is refused when it has arrived whole', async () => {
    const answer = await sendChunks(function* chunks() {
      yield '<Document><no <';
      for (let piece = 0; piece < 20; piece += 1) yield ' '.repeat(1_000_000);
    });
    expect(refusal(answer)).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: { file: [expect.stringMatching(/^Line 1: this is no well-formed XML/)] },
    });
  });

  it('a form that ends within the file is refused, though what came of the file would do', async () => {
    const logged = service.log.length;
    const answer = await sendChunks(function* chunks() {
      yield camt([received]);
    }, '');
    expect(refusal(answer)).toMatchObject({ code: 'VALIDATION_FAILED', errors: { file: [expect.any(String)] } });
    expect(await acme.db.bankTransaction.count()).toBe(0);
    expect(faultsSince(logged)).toEqual([]);
  });

  const fields = (...entries: [string, string][]): FormData => {
    const data = new FormData();
    for (const [name, value] of entries) data.append(name, value);
    return data;
  };
  const operations = JSON.stringify({ query: document, variables: { file: null } });
  it.each<[string, FormData, RegExp]>([
    ['without a file', form(undefined), /missing/i],
    ['without operations', fields(['map', '{}']), /operations/],
    ['without a map', fields(['operations', operations]), /map/],
    ['with a map that is no JSON', fields(['operations', operations], ['map', '{']), /JSON/],
    [
      'with two files',
      fields(['operations', operations], ['map', '{"a":["variables.file"],"b":["variables.csv"]}']),
      /1 max/,
    ],
  ])('a form %s is told, and is no fault of ours', async (_what, data, message) => {
    const logged = service.log.length;
    const { status, body } = await send(service, data, { authorization: `Bearer ${acme.token}` });
    expect([200, 400, 413]).toContain(status);
    expect(body.errors[0].message).toMatch(message);
    expect(body.errors[0].extensions?.code).toMatch(/BAD_REQUEST|VALIDATION_FAILED/);
    expect(faultsSince(logged)).toEqual([]);
  });

  it('a file where none belongs, and none where one does, are faults of these inputs', async () => {
    const data = form(camt([received]));
    data.set('map', JSON.stringify({ statement: ['variables.format'] }));
    const answer = await send(service, data, { authorization: `Bearer ${acme.token}` });
    expect(refusal(answer)).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: { file: [expect.any(String)], format: [expect.any(String)] },
    });
    for (const file of [null, 'text', {}, 5]) {
      expect(refusal(await acme.graphqlAnswer(document, { file }))).toMatchObject({
        code: 'VALIDATION_FAILED',
        errors: { file: [expect.any(String)] },
      });
    }
    expect(await acme.db.bankTransaction.count()).toBe(0);
  });

  it('without a token nobody gets as far as the file; without the ability nothing is imported', async () => {
    for (const headers of [{}, { 'graphql-require-preflight': '1' }]) {
      const answer = await send(service, form(camt([received])), headers as Record<string, string>);
      expect(answer.status).toBe(401);
      expect(refusal(answer).code).toBe('UNAUTHENTICATED');
    }
    const reader = await service.integrator({ abilities: ['read', 'invoices:write'] });
    expect(refusal(await upload(service, reader, camt([received])))).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringMatching(/bank-transactions:write/),
    });
    expect(await reader.db.bankTransaction.count()).toBe(0);
  });

  describe('not open to cross-site forms', () => {
    let behindTheGate: Server;
    let url: string;
    beforeAll(async () => {
      // As for somebody who is known by a cookie: past the gate without Authorization.
      const door = createGraphqlHandler(service.domain.schema, pino({ level: 'silent' }));
      behindTheGate = createServer(async (request, response) => {
        const tenant = await service.client.tenant.findUniqueOrThrow({ where: { id: acme.tenantId } });
        const user = { id: acme.userId, name: 'Ada', email: '' };
        const context = service.domain.contextFor({ user, tenant, token: null });
        await door.handle(request, response, {
          requestId: 'x',
          context,
          isStillAuthorized: async () => true,
          onAccessEnd: () => () => {},
          expiresInMs: null,
        });
      });
      await new Promise<void>((resolve) => behindTheGate.listen(0, '127.0.0.1', resolve));
      url = `http://127.0.0.1:${(behindTheGate.address() as AddressInfo).port}`;
    });
    afterAll(() => void behindTheGate.close());

    it('neither Authorization nor GraphQL-Require-Preflight: refused', async () => {
      const answer = await send({ url }, form(camt([received])), {});
      expect(refusal(answer)).toMatchObject({
        code: 'FORBIDDEN',
        message: expect.stringMatching(/GraphQL-Require-Preflight/),
      });
      expect(await acme.db.bankTransaction.count()).toBe(0);
      const odd = await send({ url }, 'x', { 'content-type': 'Multipart/Form-Data; boundary=x' });
      expect(odd.status).toBeGreaterThanOrEqual(400);
    });

    it('with that header, which no form can send: read', async () => {
      const answer = await send({ url }, form(camt([received])), { 'graphql-require-preflight': '1' });
      expect(answer.body.data.imported.imported).toBe(1);
    });
  });
});

describe('imports at once', () => {
  it('of the same file: each transaction once, and none lost', async () => {
    const file = camt(many(1200));
    const results = await Promise.all([imported(service, acme, file), imported(service, acme, file)]);
    expect(results.map((result) => result.imported).toSorted((a, b) => a - b)).toEqual([0, 1200]);
    expect(results.map(({ imported: new_, skipped }) => new_ + skipped)).toEqual([1200, 1200]);
    expect(await acme.db.bankTransaction.count()).toBe(1200);
    const told = (await eventsOf(service, acme)).map(({ body }) => body.data.bank_transaction.id);
    expect(new Set(told).size).toBe(1200);
    expect(told).toHaveLength(1200);
  });

  it('of files that overlap in opposite orders', async () => {
    const entries = many(1500);
    const results = await Promise.all([
      imported(service, acme, camt(entries)),
      imported(service, acme, camt(entries.toReversed())),
    ]);
    expect(results[0]!.imported + results[1]!.imported).toBe(1500);
    expect(await acme.db.bankTransaction.count()).toBe(1500);
    expect(await acme.db.event.count()).toBe(1500);
  });

  it('that match the same invoices in opposite orders: each is paid once', async () => {
    const invoices = await Promise.all(Array.from({ length: 12 }, () => makeInvoice(acme, { status: 'ISSUED' })));
    const numbers = (await acme.db.invoice.findMany({ where: { id: { in: invoices } } })).map(({ number }) => number!);
    const paying = (mark: string) => numbers.map((number) => ({ amount: '119.00', reference: `${number} ${mark}` }));
    const results = await Promise.all([
      imported(service, acme, camt(paying('a'))),
      imported(service, acme, camt(paying('b').toReversed())),
    ]);
    expect(results[0]!.imported + results[1]!.imported).toBe(24);
    expect(results[0]!.matched + results[1]!.matched).toBe(12);
    expect(await acme.db.invoice.count({ where: { status: 'PAID' } })).toBe(12);
    expect(await acme.db.bankTransaction.count({ where: { matchStatus: 'MATCHED' } })).toBe(12);
    expect(await acme.db.payment.count()).toBe(12);
  });
});

it('a statement of 5,000 entries leaves 5,000 events, each with its job', async () => {
  const jobs = async (): Promise<number> => {
    const { rows } = await service.pool.query("select from graphile_worker.jobs where task_identifier = 'fan_out'");
    return rows.length;
  };
  const before = await jobs();
  expect(await imported(service, acme, camt(many(5000)))).toEqual({
    imported: 5000,
    skipped: 0,
    matched: 0,
    warnings: [],
  });
  expect(await acme.db.event.count({ where: { type: 'bank_transaction.created' } })).toBe(5000);
  expect((await jobs()) - before).toBe(5000);
}, 70_000);

it('memory does not grow with the statement', async () => {
  const database = await createDatabase();
  try {
    const script = fileURLToPath(new URL('large-import.ts', import.meta.url));
    const grown = async (entries: number): Promise<number> => {
      const { stdout } = await promisify(execFile)('node', ['--expose-gc', script, database.url, String(entries)]);
      return JSON.parse(stdout).grownBy;
    };
    // What tells equals from each other is in the thread that reads, and takes 15 MB for 100,000.
    const few = await grown(9000);
    expect((await grown(15_000)) - few).toBeLessThan(6);
  } finally {
    await database.drop();
  }
}, 300_000); // two processes, each of which collects its garbage every second

describe('kontor bank import', () => {
  it('prints what became of the files as JSON; a broken one imports nothing, with a line that says why', async () => {
    const database = await createDatabase();
    const folder = await mkdtemp(join(tmpdir(), 'kontor-bank-'));
    const own = await startService({ database });
    try {
      const globex = await own.integrator();
      const invoice = await makeInvoice(globex, { status: 'ISSUED' });
      const { number } = await globex.db.invoice.findFirstOrThrow({ where: { id: invoice } });
      const bank = (...args: string[]) =>
        kontor(['bank', 'import', '--tenant', globex.tenantId, ...args], {
          DATABASE_URL: database.url,
          KONTOR_SECRET: 'long-enough-to-be-one-for-the-tests',
        });
      const [good, more, broken] = ['good.xml', 'more.xml', 'broken.xml'].map((name) => join(folder, name));
      await writeFile(good!, camt([received, sent, { amount: '119.00', reference: `Invoice ${number}` }]));
      await writeFile(more!, camt([received, { amount: '7.00' }]));
      await writeFile(broken!, camt(many(700)).slice(0, -40));

      const first = await bank('--json', good!, more!);
      expect(first).toEqual({ code: 0, out: '{"imported":4,"skipped":1,"matched":1}\n', err: '' });
      expect((await globex.rest('GET', `/invoices/${invoice}`)).body.data).toMatchObject({ status: 'paid' });

      const second = await bank('--json', broken!);
      expect(second.code).toBe(1);
      expect(second.out).toBe('');
      expect(second.err).toMatch(/^kontor: \S*broken\.xml: Line 7\d\d: this is no well-formed XML[^\n]*\n$/);
      expect(await globex.db.bankTransaction.count()).toBe(4);

      const none = await bank('--json', join(folder, 'none.xml'));
      expect(none).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringMatching(/^kontor: There is no file [^\n]*\n$/),
      });
    } finally {
      await own.close();
      await database.drop();
      await rm(folder, { recursive: true });
    }
  }, 120_000);
});
