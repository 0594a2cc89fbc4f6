import { hash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resources } from '../../schema/resource-list.ts';
import { exportBooks } from '../../schema/tenant-archive/export-archive.ts';
import { recordTypes } from '../../schema/tenant-archive/format.ts';
import { importBooks } from '../../schema/tenant-archive/restore-archive.ts';
import { LineErrors } from '../../schema/tenant-archive/lines.ts';
import { fillDemoBooks } from '../../src/demo/demo-data.ts';
import { addExistingUser } from '../../src/identity/index.ts';
import { storeLogo } from '../../schema/documents/logos.ts';
import { makeStorableLogo } from '../../schema/documents/pdf/logo.ts';
import { sealNext } from '../../schema/resources/audit-log/seal.ts';
import { verifyAuditLog } from '../../schema/resources/audit-log/verify.ts';
import { proveNext } from '../../schema/resources/document/proofs.ts';
import { verifyDocuments } from '../../schema/resources/document/verify.ts';
import { buyer, company, setCompany } from '../documents/parties.ts';
import { lengthOfLines, buildPng } from '../documents/pngs.ts';
import { makeBankTransaction, makeCreditNote, makeCustomer, makeInvoice, makeReceipt } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { makeHistory } from './history.ts';
import { auditLogIn, booksIn } from './lines.ts';

let service: Service;
let folder: string;
beforeAll(async () => {
  service = await startService();
  folder = await mkdtemp(join(tmpdir(), 'kontor-books-'));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

async function exported(who: Integrator): Promise<string> {
  let text = '';
  await exportBooks(await service.contextOf(who), async (lines) => void (text += lines));
  return text;
}

let files = 0;
async function importInto(who: Integrator, text: string, dryRun = false) {
  const file = join(folder, `${(files += 1)}.jsonl`);
  await writeFile(file, text);
  return importBooks(await service.contextOf(who), service.domain.schema, file, { dryRun, acceptUnproven: true });
}

const refusal = (work: Promise<unknown>): Promise<readonly unknown[] | string> =>
  work.then(
    () => 'imported',
    (error: Error) => (error instanceof LineErrors ? error.errors : error.message),
  );

/** Everything that REST and the overview say about a tenant's books. */
async function answersOf(who: Integrator): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const { path } of resources) {
    const rows: unknown[] = [];
    for (let page = 1; ; page += 1) {
      const { status, body } = await who.rest('GET', `/${path}?per_page=100&page=${page}`);
      expect(status).toBe(200);
      rows.push(...body.data);
      if (rows.length === body.meta.total) break;
      expect(body.data.length).toBeGreaterThan(0);
    }
    answers[path] = rows;
  }
  const money = '{ currency amount count }';
  answers['overview'] = await who.graphql(
    `{ overview { outstanding ${money} overdue ${money} paidThisMonth ${money} months { month currency invoicedGross paid } } }`,
  );
  answers['payments'] = await who.graphql(
    '{ invoices(first: 100) { nodes { payments { nodes { id amount paidOn } } timeEntries { nodes { id } } } } }',
  );
  return answers;
}

const withoutHead = (text: string): string[] => text.split('\n').slice(1);

async function demoBooks(): Promise<Integrator> {
  const who = await service.integrator({ timezone: 'Europe/Berlin' });
  const context = await service.contextOf(who);
  await fillDemoBooks(service.domain, context, new Date('2026-11-22T03:00:00Z'));
  return who;
}

async function randomBooks(seed: number): Promise<Integrator> {
  const who = await service.integrator();
  expect(await makeHistory(service, who, { steps: 200, seed })).toBeGreaterThan(100);
  return who;
}

/** Some invoices have proven files, one has a file without a proof, and others have none. */
async function booksWithFiles(): Promise<Integrator> {
  const who = await service.integrator();
  await setCompany(who);
  const context = await service.contextOf(who);
  for (const size of [4, 8]) {
    const picture = { width: size, height: 4, pixels: new Uint8Array(size * 4 * 4) };
    const logoId = await storeLogo(context, await makeStorableLogo(picture));
    await who.db.company.updateMany({ data: { logoId } });
  }
  const customerId = await makeCustomer(who, buyer);
  for (let count = 0; count < 3; count += 1) await makeInvoice(who, { status: 'ISSUED', customerId });
  await proveNext(context);
  const unproven = await makeInvoice(who, { status: 'PAID', customerId });
  await who.rest('GET', `/invoices/${unproven}/xml?format=peppol`);
  await makeInvoice(who, { status: 'ISSUED' });
  // Documents show what was issued, not what there is now.
  await who.rest('PUT', '/period-locks', {
    series: 'bank',
    locked_until: '2025-12-31',
    kind: 'final',
    reason: 'Filed',
  });
  await setCompany(who, { ...company, legalName: 'Renamed GmbH' });
  await who.rest('PATCH', `/customers/${customerId}`, { company_name: 'Renamed' });
  return who;
}

/** The states that the random histories must have led to. */
const everyState = [
  '{"record":"credit_note"',
  ...['draft', 'issued', 'paid', 'cancelled', 'booked'].map((status) => `"status":"${status}"`),
  ...['matched', 'partially_matched', 'unmatched', 'ignored'].map((status) => `"match_status":"${status}"`),
  ...['EUR', 'JPY', 'TND'].map((currency) => `"currency":"${currency}"`),
  '"exchange_currency":"HRK"',
];

const ofType = (type: string): string => `{"record":"${type}"`;

/** Another tenant, with the same settings and the same member. */
async function emptyLike(who: Integrator): Promise<Integrator> {
  const { timezone, defaultCurrency } = (await service.contextOf(who)).tenant;
  const other = await service.integrator({ timezone, currency: defaultCurrency });
  const { email } = await service.client.user.findUniqueOrThrow({ where: { id: who.userId } });
  await addExistingUser(service.client, { email, tenantId: other.tenantId });
  return other;
}

describe.each([
  ['of the demo', demoBooks],
  ['of a random history', () => randomBooks(1), everyState],
  ['of another random history', () => randomBooks(2), everyState],
  [
    'with files of invoices',
    booksWithFiles,
    ['company_logo', 'invoice_parties', 'invoice_file', 'document_proof', 'period_lock'].map(ofType),
  ],
  ['of nothing', () => service.integrator()],
])('books %s', (_name, make, seen: string[] | undefined = undefined) => {
  let from: Integrator;
  let to: Integrator;
  let text: string;
  beforeAll(async () => {
    from = await make();
    to = await emptyLike(from);
    text = await exported(from);
  });

  it('have every state', () => {
    for (const part of seen ?? []) expect(text).toContain(part);
  });

  it('a dry run says what would come, and writes nothing', async () => {
    const { records } = await importInto(to, text, true);
    for (const { type } of recordTypes)
      expect(records[type]).toBe(withoutHead(text).filter((line) => line.startsWith(`{"record":"${type}"`)).length);
    expect(booksIn(await exported(to))).toEqual([]);
  });

  it('come back as the same books', async () => {
    const { notes } = await importInto(to, text);
    expect(notes).toEqual([]);
    expect(await answersOf(to)).toEqual(await answersOf(from));
    expect(booksIn(await exported(to))).toEqual(booksIn(text));
  });

  it('bring their audit log, which is sealed here, too', async () => {
    const there = auditLogIn(text).map(({ content }) => content);
    const here = auditLogIn(await exported(to)).map(({ content }) => content);
    const known = new Set(there);
    expect(here.filter((content) => known.has(content))).toEqual(there);
    const context = await service.contextOf(to);
    while (await sealNext(context));
    expect(await verifyAuditLog(context)).toMatchObject({ entries: here.length, unsealed: 0, difference: null });
  });

  it('have the same files, proofs, and parties of invoices', async () => {
    const verified = await verifyDocuments(await service.contextOf(to));
    expect(verified).toEqual(await verifyDocuments(await service.contextOf(from)));
    expect(verified.difference).toBeNull();
    // A file that is made here is the one that would have been made there.
    const unproven = await from.db.invoice.findFirst({ where: { number: { not: null }, files: { none: {} } } });
    if (!unproven) return;
    const [made, here] = await Promise.all(
      [from, to].map(async (who) => {
        await who.rest('GET', `/invoices/${unproven.id}/pdf`);
        return who.db.invoiceFile.findFirstOrThrow({ where: { invoiceId: unproven.id }, select: { sha256: true } });
      }),
    );
    expect(here).toEqual(made);
  });

  it('are in the change feed', async () => {
    const changes: { resource: string; id: string; deleted: boolean }[] = [];
    for (let since = ''; ;) {
      const { status, body } = await to.rest('GET', `/changes?limit=1000${since && `&since=${since}`}`);
      expect(status).toBe(200);
      changes.push(...body.data);
      if (!body.meta.has_more) break;
      since = encodeURIComponent(body.meta.cursor);
    }
    const names = new Set<string>(resources.map(({ name }) => name));
    const moved = withoutHead(text)
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { record: string; id: string; reversal_of?: string | null })
      .filter(({ record, reversal_of }) => names.has(record) && !(record === 'receipt' && reversal_of));
    const keyOf = (resource: string, id: string): string => `${resource} ${id}`;
    expect(changes.map(({ resource, id }) => keyOf(resource, id)).toSorted()).toEqual(
      moved.map(({ record, id }) => keyOf(record, id)).toSorted(),
    );
  });

  it('report no events, and make no deliveries', async () => {
    expect(await to.db.event.count()).toBe(0);
  });

  it('give the next number where they stopped', async () => {
    const numbers = await Promise.all(
      [from, to].map(async (who) => {
        const id = await makeInvoice(who, { status: 'ISSUED', invoiceDate: '2026-03-01' });
        return (await who.rest('GET', `/invoices/${id}`)).body.data.number;
      }),
    );
    expect(numbers[0]).toBe(numbers[1]);
  });

  it('are refused by a tenant that has books', async () => {
    expect(await refusal(importInto(to, text))).toContain('The tenant has books already');
  });
});

describe('a file that somebody changed', () => {
  let from: Integrator;
  let lines: string[];
  let to: Integrator;
  beforeAll(async () => {
    from = await demoBooks();
    const creditNote = await makeCreditNote(from, { creditNoteDate: '2026-11-01' });
    await makeCreditNote(from, { creditNoteDate: '2026-11-01', amounts: [{ vatRate: '19', net: '0.03' }] });
    await from.graphql(`mutation { refundCreditNote(id: "${creditNote}", amount: "19") { id } }`);
    const supplierId = await makeCustomer(from, { type: 'SUPPLIER', country: 'FR' });
    await makeReceipt(from, { supplierId });
    await makeReceipt(from, { status: 'BOOKED' });
    const reversed = await makeReceipt(from, { status: 'BOOKED', supplierId });
    await from.graphql(`mutation { reverseReceipt(id: "${reversed}") { id } }`);
    lines = (await exported(from)).trimEnd().split('\n');
    to = await emptyLike(from);
  });

  // JSON of a file: the tests know its shape.
  // eslint-disable-next-line typescript/no-explicit-any
  type Fields = Record<string, any>;
  /** The lines after a change of the first record of a type that fits. */
  function changed(type: string, change: (fields: Fields) => unknown, fits: (fields: Fields) => boolean = () => true) {
    const at = lines.findIndex((line) => line.startsWith(`{"record":"${type}"`) && fits(JSON.parse(line)));
    const fields = JSON.parse(lines[at]!) as Fields;
    change(fields);
    return { at: at + 1, text: lines.with(at, JSON.stringify(fields)).join('\n') };
  }
  const issued = ({ status }: Fields): boolean => status === 'issued';
  const idOf = (type: string, fits: (fields: Fields) => boolean): string =>
    lines
      .filter((line) => line.startsWith(`{"record":"${type}"`))
      .map((line) => JSON.parse(line) as Fields)
      .find(fits)!['id'];
  const other = '01890a5d-ac96-774b-bcce-b302099a8057';

  it.each<[string, string, (fields: Fields) => unknown, ((fields: Fields) => boolean) | undefined, RegExp]>([
    ['a wrong total', 'invoice', (row) => (row['total_gross'] = '1'), undefined, /^total_gross: Is 1, but must be /],
    [
      'a wrong line total',
      'invoice',
      (row) => (row['items'][0].line_total_net = '1'),
      undefined,
      /^items\.0\.line_total_net: Is 1/,
    ],
    [
      'a payment that isn’t there',
      'invoice',
      (row) => (row['amount_paid'] = '0.01'),
      issued,
      /^amount_paid: Must be the sum of the payments/,
    ],
    [
      'paid without a payment',
      'invoice',
      (row) => Object.assign(row, { status: 'paid', paid_at: '2026-01-01T00:00:00Z' }),
      issued,
      /^status: A paid invoice is paid in full/,
    ],
    [
      'a number of another year',
      'invoice',
      (row) => (row['number'] = '1999-0001'),
      ({ number }) => number,
      /^number: Must be YYYY-NNNN/,
    ],
    [
      'a draft with a number',
      'invoice',
      (row) => (row['number'] = `${row['invoice_date'].slice(0, 4)}-9999`),
      ({ status }) => status === 'draft',
      /^status: An invoice has a number unless/,
    ],
    [
      'a credited amount',
      'invoice',
      (row) => (row['amount_credited'] = '0.01'),
      issued,
      /^amount_credited: Must be the sum of the credit notes/,
    ],
    [
      'a refunded amount',
      'credit_note',
      (row) => (row['amount_refunded'] = '18'),
      ({ amount_refunded: refunded }) => refunded === '19',
      /^amount_refunded: Must be the sum of the refunds/,
    ],
    [
      'a credited line of another invoice',
      'credit_note',
      (row) => (row['invoice_id'] = idOf('invoice', issued)),
      undefined,
      /^invoice_id: Must be an issued invoice of the same customer/,
    ],
    [
      'a total that isn’t that of the VAT',
      'credit_note',
      (row) => (row['total_vat'] = '1'),
      undefined,
      /^total_vat: Is 1, but must be /,
    ],
    [
      'a VAT that is too far from its net',
      'credit_note',
      (row) => (row['vat_breakdown'][0].vat = '1'),
      undefined,
      /^vat_breakdown: Must be that of the lines/,
    ],
    [
      'no VAT',
      'credit_note',
      (row) => (row['vat_breakdown'] = { net: 1 }),
      undefined,
      /^vat_breakdown: Must be a list of VAT shares/,
    ],
    [
      'a credit note’s number of another form',
      'credit_note',
      (row) => (row['number'] = '2026-0001'),
      undefined,
      /^number: Must be CN-YYYY-NNNN/,
    ],
    [
      'a sequence of credit notes that gives a number again',
      'credit_note_sequence',
      (row) => (row['last'] -= 1),
      undefined,
      /^last: Must be the number of credit notes/,
    ],
    [
      'a currency that doesn’t exist',
      'invoice',
      (row) => (row['currency'] = 'XXX'),
      undefined,
      /^currency: Must be an ISO 4217/,
    ],
    [
      'a customer who isn’t there',
      'invoice',
      (row) => (row['customer_id'] = other),
      undefined,
      /^customer_id: No earlier line has this id/,
    ],
    [
      'due before its date',
      'invoice',
      (row) => (row['due_date'] = '2001-01-01'),
      undefined,
      /^due_date: Must not be before the invoice date/,
    ],
    [
      'an unknown field',
      'customer',
      (row) => (row['tenant_id'] = other),
      undefined,
      /^tenant_id: This field is not known/,
    ],
    ['a name that is missing', 'customer', (row) => delete row['company_name'], undefined, /^company_name: Required/],
    [
      'a name that is too long',
      'customer',
      (row) => (row['company_name'] = 'x'.repeat(256)),
      undefined,
      /^company_name: Must not be longer/,
    ],
    [
      'a character that can’t be stored',
      'customer',
      (row) => (row['company_name'] = 'a\0'),
      undefined,
      /^company_name: Must not contain NUL/,
    ],
    [
      'a number as a number',
      'receipt',
      (row) => (row['amount_gross'] = 1.5),
      undefined,
      /^amount_gross: Must be a number as a string/,
    ],
    [
      'too many decimals',
      'receipt',
      (row) => (row['amount_gross'] = '1.555'),
      undefined,
      /^amount_gross: Must not have more than 2 decimals/,
    ],
    [
      'VAT of another rate',
      'receipt',
      (row) => (row['vat_rate'] = '1'),
      ({ vat_rate }) => vat_rate !== '0',
      /^vat_amount: Is /,
    ],
    [
      'a supplier in a country that doesn’t exist',
      'receipt',
      (row) => (row['supplier_country'] = 'XX'),
      ({ supplier_country, reversal_of, reversed_at }) => supplier_country && !reversal_of && !reversed_at,
      /^supplier_country: Must be an ISO 3166-1/,
    ],
    [
      'a draft with the country of its supplier',
      'receipt',
      (row) => (row['supplier_country'] = 'FR'),
      ({ status, supplier_id }) => status === 'draft' && supplier_id,
      /^supplier_country: A draft has none/,
    ],
    [
      'a country without a supplier',
      'receipt',
      (row) => (row['supplier_country'] = 'FR'),
      ({ status, supplier_id }) => status === 'booked' && !supplier_id,
      /^supplier_country: Needs a supplier/,
    ],
    [
      'a reversal with a supplier in another country',
      'receipt',
      (row) => (row['supplier_country'] = 'IT'),
      ({ supplier_country, reversal_of }) => supplier_country && reversal_of,
      /^reversal_of: A reversal takes back all/,
    ],
    [
      'a receipt with a rate into a currency that doesn’t exist',
      'receipt',
      (row) => Object.assign(row, { exchange_rate: '2', exchange_rate_date: '2026-01-01', exchange_currency: 'XYZ' }),
      undefined,
      /^exchange_currency: Must be an ISO 4217/,
    ],
    [
      'a credit note with another rate than its invoice',
      'credit_note',
      (row) => Object.assign(row, { exchange_rate: '3', exchange_rate_date: '2026-01-01', exchange_currency: 'CHF' }),
      undefined,
      /^exchange_rate: Must be that of the invoice/,
    ],
    [
      'a payment in another currency',
      'payment',
      (row) => (row['currency'] = 'USD'),
      undefined,
      /^currency: Must be that of the (?:invoice|receipt|credit note)/,
    ],
    [
      'an external id of a payment that is too long',
      'payment',
      (row) => (row['external_id'] = 'x'.repeat(256)),
      undefined,
      /^external_id: Must not be longer/,
    ],
    [
      'metadata of a payment that are no strings',
      'payment',
      (row) => (row['metadata'] = { a: 1 }),
      undefined,
      /^metadata: The value of "a" must be a string/,
    ],
    [
      'a payment of nothing',
      'payment',
      (row) => Object.assign(row, { invoice_id: null, receipt_id: null, credit_note_id: null }),
      undefined,
      /^id: A payment settles one invoice/,
    ],
    [
      'an open amount',
      'bank_transaction',
      (row) => Object.assign(row, { amount_open: row['amount'], match_status: 'unmatched' }),
      ({ match_status }) => match_status === 'matched',
      /^amount_open: Must be the amount without its payments/,
    ],
    [
      'a day that doesn’t exist',
      'time_entry',
      (row) => (row['date'] = '2026-02-30'),
      undefined,
      /^date: Must be a calendar day/,
    ],
    [
      'a sequence that gives a number again',
      'invoice_sequence',
      (row) => (row['last'] -= 1),
      undefined,
      /^last: Must be the number of invoices/,
    ],
    [
      'a sequence with a gap',
      'invoice_sequence',
      (row) => (row['last'] += 1),
      undefined,
      /^last: Must be the number of invoices/,
    ],
  ])('%s', async (_title, type, change, fits, message) => {
    const { at, text } = changed(type, change, fits);
    const errors = await refusal(importInto(to, text));
    expect(errors).toContainEqual({ line: at, message: expect.stringMatching(message) });
    expect(booksIn(await exported(to))).toEqual([]);
  });

  it('a number that leaves a gap', async () => {
    const { text } = changed(
      'invoice',
      (row) => (row['number'] = '2026-9999'),
      ({ number }) => number?.startsWith('2026'),
    );
    const at = lines.findIndex((line) => line.startsWith('{"record":"invoice_sequence"') && line.includes('2026'));
    expect(await refusal(importInto(to, text))).toEqual([
      { line: at + 1, message: expect.stringMatching(/^last: Must be the number of invoices/) },
    ]);
  });

  it('a supplier who becomes a customer', async () => {
    const receipts = lines.filter((line) => line.startsWith('{"record":"receipt"')).map((line) => JSON.parse(line));
    const { supplier_id } = receipts.find((receipt) => receipt.supplier_id);
    const { text } = changed(
      'customer',
      (row) => (row['type'] = 'customer'),
      ({ id }) => id === supplier_id,
    );
    const errors = await refusal(importInto(to, text));
    expect(errors).toEqual(
      lines.flatMap((line, at) =>
        line.startsWith('{"record":"receipt"') && line.includes(`"supplier_id":"${supplier_id}"`)
          ? [{ line: at + 1, message: 'supplier_id: Must be a supplier.' }]
          : [],
      ),
    );
  });

  it('a number that is given twice', async () => {
    const numbers = lines.filter((line) => line.includes('"number":"2026-'));
    const { number } = JSON.parse(numbers[0]!) as { number: string };
    const { at, text } = changed(
      'invoice',
      (row) => (row['number'] = number),
      (row) => row['id'] === JSON.parse(numbers[1]!).id,
    );
    expect(await refusal(importInto(to, text))).toEqual([
      { line: at, message: 'number: An earlier line has the same.' },
    ]);
  });

  it('a record twice', async () => {
    const at = lines.findIndex((line) => line.startsWith('{"record":"customer"'));
    const end = JSON.stringify({ record: 'end', records: lines.length - 1 });
    const text = lines.toSpliced(at, 0, lines[at]!).with(lines.length, end).join('\n');
    expect(await refusal(importInto(to, text))).toEqual([
      { line: at + 2, message: 'id: An earlier line has the same.' },
    ]);
  });

  it('a line that is missing', async () => {
    const at = lines.findIndex((line) => line.startsWith('{"record":"time_entry"'));
    expect(await refusal(importInto(to, lines.toSpliced(at, 1).join('\n')))).toEqual([
      { line: lines.length - 1, message: `Must say how many records there are: ${lines.length - 3}.` },
    ]);
  });

  it('an end that is missing, a line after the end, lines that are no JSON, and another file', async () => {
    const whole = lines.join('\n');
    expect(await refusal(importInto(to, lines.slice(0, -1).join('\n')))).toEqual([
      { line: lines.length, message: `The file isn't whole: it has no "end".` },
    ]);
    expect(await refusal(importInto(to, `${whole}\n{"record":"customer"}`))).toEqual([
      { line: lines.length + 1, message: 'Must not be there: the line before is the end.' },
    ]);
    expect(await refusal(importInto(to, `${lines[0]}\n{"record":\n[1]\n{"record":"x"}`))).toMatchObject([
      { line: 2, message: 'Must be a JSON object.' },
      { line: 3, message: 'Must be a JSON object.' },
      { line: 4, message: expect.stringMatching(/^record: Must be one of audit_entry, /) },
    ]);
    expect(await refusal(importInto(to, 'a,b\n1,2'))).toMatchObject([{ line: 1 }]);
    expect(await refusal(importInto(to, whole.replace('"version":1', '"version":2')))).toMatchObject([{ line: 1 }]);
    expect(await refusal(importInto(to, ''))).toEqual([{ line: 1, message: 'The file is empty.' }]);
  });

  it('all wrong lines are named', async () => {
    const text = lines
      .join('\n')
      .replaceAll('"country":"DE"', '"country":"XX"')
      .replace('"country":"XX"', '"country":"DE"');
    const errors = (await refusal(importInto(to, text))) as { line: number; message: string }[];
    expect(errors.length).toBeGreaterThan(2);
    expect(new Set(errors.map(({ message }) => message))).toEqual(
      new Set(['country: Must be an ISO 3166-1 country code of two capital letters.']),
    );
  });

  it('ids of another tenant refer to nothing here', async () => {
    const stranger = await service.integrator();
    const { id } = await stranger.db.customer.create({ data: { type: 'CUSTOMER', companyName: 'Theirs' } });
    const { at, text } = changed('invoice', (row) => (row['customer_id'] = id));
    expect(await refusal(importInto(to, text))).toEqual([
      { line: at, message: 'customer_id: No earlier line has this id.' },
    ]);
    expect(await stranger.db.customer.count()).toBe(1);
  });
});

it('a title that was billed with a space at its end stays as it is, and so does its proof', async () => {
  const from = await service.integrator();
  await setCompany(from);
  const title = `2026-03-01 ${'a'.repeat(243)} `;
  const id = await makeInvoice(from, { customerId: await makeCustomer(from, buyer) });
  await from.db.invoiceItem.updateMany({ where: { invoiceId: id }, data: { title } });
  expect((await from.rest('POST', `/invoices/${id}/issue`)).status).toBe(200);
  await proveNext(await service.contextOf(from));
  const text = await exported(from);
  expect(text).toContain(`"${title}"`);
  const to = await emptyLike(from);
  await importInto(to, text);
  expect(booksIn(await exported(to))).toEqual(booksIn(text));
  expect((await verifyDocuments(await service.contextOf(to))).difference).toBeNull();
});

it('a receipt comes back whose VAT stayed when its currency, and with that the VAT of its rate, became another', async () => {
  const from = await service.integrator({ currency: 'EUR' });
  const id = await makeReceipt(from, { amountGross: '100', vatRate: '19' });
  const update = `mutation ($id: UUID!, $input: UpdateReceiptInput!) {
    updateReceipt(id: $id, input: $input) { currency vatAmount }
  }`;
  const lines = [{ amountGross: '100', vatRate: '19', vatAmount: '15.97' }]; // 15.966 with three decimals
  const { updateReceipt } = await from.graphql(update, { id, input: { currency: 'TND', lines } });
  expect(updateReceipt).toEqual({ currency: 'TND', vatAmount: '15.97' });
  const to = await service.integrator();
  await importInto(to, await exported(from));
  expect((await to.rest('GET', `/receipts/${id}`)).body).toEqual((await from.rest('GET', `/receipts/${id}`)).body);
});

it('bank accounts come back as statements had them, with their balances', async () => {
  const from = await service.integrator();
  const iban = 'DE02120300000000202051';
  const accounts = [
    ['DE02 1203 0000 0000 2020 51', 'EUR', '100'],
    [iban, 'EUR', '7'],
    [iban, 'HRK', '5'],
    ['12 34-x', '€', '3'],
  ] as const;
  for (const [accountIban, currency, amount] of accounts) {
    await from.db.bankAccount.create({ data: { iban: accountIban, currency } });
    await makeBankTransaction(from, { accountIban, currency, amount, amountOpen: amount });
  }
  const to = await emptyLike(from);
  const text = await exported(from);
  await importInto(to, text);
  expect(booksIn(await exported(to))).toEqual(booksIn(text));
  const query = '{ bankAccounts { nodes { iban currency balance { amount } } } }';
  const shown = (await to.graphql(query)).bankAccounts.nodes;
  expect(shown.map((each: Record<string, unknown>) => [each['iban'], each['currency']]).toReversed()).toEqual(
    accounts.map(([accountIban, currency]) => [accountIban, currency]),
  );
  expect(shown.map(({ balance }: { balance: { amount: string } }) => balance.amount).toReversed()).toEqual(
    accounts.map(([, , amount]) => amount),
  );
  const line = text.split('\n').find((each) => each.startsWith(ofType('bank_account')))!;
  const emptyTenant = await emptyLike(from);
  const errorsOf = (change: object) =>
    refusal(importInto(emptyTenant, text.replace(line, JSON.stringify({ ...JSON.parse(line), ...change }))));
  for (const [change, message] of [
    [{ iban: '' }, 'iban: Must not be empty.'],
    [{ currency: 'x'.repeat(256) }, 'currency: Must not be longer than 255 characters.'],
    [{ name: 'x'.repeat(256) }, 'name: Must not be longer than 255 characters.'],
  ] as const)
    expect(await errorsOf(change)).toEqual([{ line: expect.any(Number), message }]);
});

it('spaces around a text count to its length, and no code has any', async () => {
  const from = await service.integrator();
  await makeCustomer(from, { ...buyer, companyName: 'Moved', email: 'a@example.com' });
  const to = await emptyLike(from);
  const text = await exported(from);
  const customer = text.split('\n').find((line) => line.startsWith(ofType('customer')))!;
  const errorsOf = async (old: string, changed: string) => {
    expect(customer).toContain(old);
    return refusal(importInto(to, text.replace(customer, customer.replace(old, changed))));
  };
  const refused = (message: string) => [{ line: expect.any(Number), message }];
  expect(await errorsOf('"country":"DE"', '"country":"DE "')).toEqual(
    refused('country: Must not begin or end with spaces.'),
  );
  expect(await errorsOf('"email":"a@example.com"', '"email":" a@example.com"')).toEqual(
    refused('email: Must not begin or end with spaces.'),
  );
  const name = '"company_name":"Moved"';
  expect(await errorsOf(name, `"company_name":"Moved${' '.repeat(251)}"`)).toEqual(
    refused('company_name: Must not be longer than 255 characters.'),
  );
  expect(await errorsOf(name, `"company_name":"Moved${' '.repeat(250)}"`)).toBe('imported');
});

it('a changed byte of a file, or of a proof, ends the import', async () => {
  const from = await booksWithFiles();
  const to = await emptyLike(from);
  const text = await exported(from);
  const at = text.split('\n').findIndex((line) => line.startsWith(ofType('invoice_file')));
  const wrong = text.replace(
    /("record":"invoice_file".*?"bytes":")(.)/,
    (_, before, first) => before + (first === 'A' ? 'B' : 'A'),
  );
  expect(await refusal(importInto(to, wrong))).toEqual([
    { line: at + 1, message: 'sha256: Must be that of the bytes.' },
  ]);
  const logo = text.split('\n').findIndex((line) => line.startsWith(ofType('company_logo')));
  const withLogo = (bytes: Buffer) => {
    const fields = `"sha256":"${hash('sha256', bytes, 'base64')}","bytes":"${bytes.toString('base64')}"`;
    return importInto(to, text.replace(/"sha256":"[^"]*","bytes":"[^"]*"/, fields));
  };
  const shape = { width: 4, height: 4, colorType: 2 };
  const short = buildPng(shape, Buffer.alloc(lengthOfLines(shape) - 12));
  for (const bytes of [Buffer.from('<svg/>'), buildPng({ width: 4, height: 4 }, Buffer.alloc(68)), short])
    expect(await refusal(withLogo(bytes))).toEqual([
      { line: logo + 1, message: 'bytes: Must be a PNG as documents embed it, with all its lines.' },
    ]);
  const otherHash = text.replace(
    /("record":"company_logo".*?"sha256":")(.)/,
    (_, before, first) => before + (first === 'A' ? 'B' : 'A'),
  );
  expect(await refusal(importInto(to, otherHash))).toEqual([
    { line: logo + 1, message: 'bytes: Must be a PNG of at most 1 MiB, with this sha256.' },
  ]);
  const proof = text.split('\n').findIndex((line) => /^\{"record":"document_proof".*2026-0001/.test(line));
  const errors = await refusal(importInto(to, text.replace(/("record":"document_proof".*)2026-0001/, '$12026-0009')));
  expect(errors).toContainEqual({
    line: proof + 1,
    message: 'Invoice 2026-0001: its proof does not follow from the proof before it.',
  });
});

describe('books of a third random history', () => {
  let from: Integrator;
  let text: string;
  beforeAll(async () => {
    from = await randomBooks(3);
    text = await exported(from);
  });

  it('time entries of members without an account here keep their ids; those with one get the account’s', async () => {
    const { timezone, defaultCurrency } = (await service.contextOf(from)).tenant;
    const to = await service.integrator({ timezone: 'Asia/Tokyo', currency: defaultCurrency });
    const { email } = await service.client.user.findUniqueOrThrow({ where: { id: from.userId } });
    const { email: emailHere } = await service.client.user.findUniqueOrThrow({ where: { id: to.userId } });

    const { notes } = await importInto(to, text, true);
    expect(notes).toEqual([
      `The time zone of the books' tenant is ${timezone}; this tenant's is Asia/Tokyo, and stays.`,
      `${email} is no member here. Their time entries keep the id ${from.userId}.`,
    ]);

    await importInto(to, text.replace(email, emailHere.toUpperCase()));
    const users = await to.db.timeEntry.findMany({ distinct: ['userId'], select: { userId: true } });
    expect(users).toEqual([{ userId: to.userId }]);
  });

  it('a row that somebody else writes meanwhile ends the import', async () => {
    const to = await emptyLike(from);
    const blocker = await service.pool.connect();
    try {
      await blocker.query('begin');
      await blocker.query('lock table customers in share mode');
      const outcome = refusal(importInto(to, text));
      const waiting = `select from pg_locks where relation = 'customers'::regclass and not granted`;
      await expect.poll(async () => (await service.pool.query(waiting)).rowCount).toBe(1);
      await to.db.project.create({ data: { name: 'Early', currency: 'EUR' } });
      await blocker.query('commit');
      expect(await outcome).toContain('Somebody else wrote into this tenant meanwhile');
    } finally {
      blocker.release();
    }
    expect(await to.db.project.findMany()).toMatchObject([{ name: 'Early' }]);
    expect(await to.db.customer.count()).toBe(0);
  });

  it('two imports into one tenant at once: one of them is refused', async () => {
    const to = await emptyLike(from);
    const outcomes = await Promise.all([refusal(importInto(to, text)), refusal(importInto(to, text))]);
    expect(outcomes.filter((outcome) => outcome === 'imported')).toHaveLength(1);
    expect(booksIn(await exported(to))).toEqual(booksIn(text));
  });
});

it('an export shows one moment, whatever is written meanwhile', async () => {
  const who = await randomBooks(4);
  const before = await exported(who);
  let text = '';
  await exportBooks(await service.contextOf(who), async (lines) => {
    // The moment is that of the first record.
    if (text !== '') await makeInvoice(who, { status: 'PAID' });
    text += lines;
  });
  expect(text).toBe(before);
});
