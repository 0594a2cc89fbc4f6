import { hash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Difference } from '../../schema/resources/difference.ts';
import {
  computeHash,
  readContent,
  writeContent,
  type DocumentContent,
} from '../../schema/resources/document/proof-content.ts';
import { creditNoteData, dataHash, invoiceData } from '../../schema/resources/document/proven-data.ts';
import { readContent as readAnchor, type Head } from '../../schema/resources/anchor/content.ts';
import { makeAnchor } from '../../schema/resources/anchor/make-anchor.ts';
import { toHeads, type NotedHeads } from '../../schema/resources/anchor/noted-heads.ts';
import { createAnchorKey } from '../../schema/resources/anchor/signature.ts';
import { computeHash as computeSeal, sealedContent } from '../../schema/resources/audit-log/seal.ts';
import { makeIssuedInvoice, setCompany } from '../documents/parties.ts';
import { item, makeBankTransaction, makeCreditNote, makePayment, makeReceipt } from '../graphql/books.ts';
import { startService, type Integrator, type Service, withoutTriggers } from '../harness.ts';
import { proveAndSeal, verify } from './books.ts';

// Changes by somebody who has all rights in the database, with triggers and foreign keys off. Each change is tried on
// the same books, and undone from copies of the tables.

let service: Service;
let who: Integrator;
/** The ids of what is tampered with. */
const ids: Record<string, string> = {};
/** The last proof, noted before. */
let noted: Head;
/** The anchor, kept elsewhere. */
let kept: NotedHeads;

const tables =
  'invoices invoice_items invoice_parties invoice_files document_proofs invoice_sequences credit_notes ' +
  'credit_note_items credit_note_sequences receipts bank_transactions payments period_locks audit_entries audit_seals anchors';
beforeAll(async () => {
  service = await startService();
  who = await service.integrator();
  await setCompany(who);
  for (const number of [1, 2, 3, 4])
    ids[number] = await makeIssuedInvoice(who, {
      items: [item, { ...item, title: 'Travel', unitPriceNet: '50' }],
      invoiceDate: '2026-03-01',
    });
  await makePayment(who, ids[1]!, '10');
  await makePayment(who, ids[2]!);
  ids['credit note'] = await makeCreditNote(who, { invoiceId: ids[3], creditNoteDate: '2026-03-05' });
  ids['receipt'] = await makeReceipt(who, { status: 'BOOKED' });
  ids['transaction'] = await makeBankTransaction(who);
  await who.rest('PUT', '/period-locks', { series: 'all', locked_until: '2025-12-31', kind: 'final' });
  ids['lock'] = (await who.db.periodLock.findFirstOrThrow()).id;
  await proveAndSeal(service, who);
  const { position, hash: last } = await verify(service, who);
  noted = { position: position!, hash: last! };
  await makeAnchor(await service.contextOf(who), createAnchorKey(randomBytes(32)));
  const { content } = await who.db.anchor.findFirstOrThrow();
  kept = toHeads([readAnchor(content)!]);
  for (const table of tables.split(' '))
    await service.pool.query(
      `create table kept_${table} as select * from ${table} where tenant_id = '${who.tenantId}'`,
    );
});
afterAll(() => service.close());

type Run = (sql: string, ...values: unknown[]) => Promise<Record<string, unknown>[]>;

/** Runs statements as a superuser with triggers off. */
const asSuperuser = (work: (run: Run) => Promise<unknown>): Promise<unknown> =>
  withoutTriggers(service, (client) =>
    work(async (sql, ...values) => (await client.query<Record<string, unknown>>(sql, values)).rows),
  );

const restore = (): Promise<unknown> =>
  asSuperuser(async (run) => {
    for (const table of tables.split(' ')) {
      const columns = await run(
        `select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
         where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER'`,
        table,
      );
      const names = String(columns[0]?.['names']);
      await run(`delete from ${table} where tenant_id = $1`, who.tenantId);
      await run(`insert into ${table} (${names}) select ${names} from kept_${table}`);
    }
  });

/** The differences after a change, which is undone. */
async function differencesAfter(work: (run: Run) => Promise<unknown>, expected?: NotedHeads): Promise<Difference[]> {
  try {
    await asSuperuser(work);
    return (await verify(service, who, expected)).all;
  } finally {
    await restore();
  }
}

const invoice = (number: number) => ({ type: 'invoice', id: ids[number] });
const says = (number: number) => ({
  ...invoice(number),
  message: `Invoice 2026-000${number}: what it says is not what was proven`,
});

/** A statement about one row, by its id. */
const change =
  (sql: string, id: () => string | undefined) =>
  (run: Run): Promise<unknown> =>
    run(sql, id());

const deletedInvoice = async (run: Run, id: string): Promise<void> => {
  for (const [table, column] of [
    ['invoice_files', 'invoice_id'],
    ['invoice_parties', 'id'],
    ['invoice_items', 'invoice_id'],
    ['payments', 'invoice_id'],
    ['invoices', 'id'],
  ] as const)
    await run(`delete from ${table} where ${column} = $1`, id);
};

const pdfOf = (number: number) => `invoice_id = '${ids[number]}' and format = 'pdf'`;
const otherPdf = String.raw`'\x255044462d312e37'::bytea`;

it('books that nobody has touched have no difference, also by what was noted', async () => {
  for (const heads of [{ documents: [noted], auditLog: [] }, kept])
    expect(await verify(service, who, heads)).toMatchObject({ all: [], documents: 5, unproven: 0 });
  expect(await differencesAfter(async () => {})).toEqual([]);
});

const found: [string, (run: Run) => Promise<unknown>, () => object[]][] = [
  [
    'the totals of an invoice',
    change('update invoices set total_net = total_net + 1, total_gross = total_gross + 1 where id = $1', () => ids[1]),
    () => [
      says(1),
      { ...invoice(1), message: 'Invoice 2026-0001: total_gross, total_net not as the audit log has it' },
    ],
  ],
  [
    'the price of a line',
    change('update invoice_items set unit_price_net = 99 where invoice_id = $1 and position = 1', () => ids[1]),
    () => [says(1)],
  ],
  [
    'the title of a line',
    change(`update invoice_items set title = 'Other' where invoice_id = $1 and position = 2`, () => ids[2]),
    () => [says(2), { ...invoice(2), message: `Invoice ${ids[2]}: its lines are not as the audit log has them` }],
  ],
  [
    'a line that is deleted',
    change('delete from invoice_items where invoice_id = $1 and position = 2', () => ids[1]),
    () => [says(1)],
  ],
  [
    'the order of the lines',
    async (run) => {
      for (const [from, to] of [
        [1, 9],
        [2, 1],
        [9, 2],
      ])
        await run('update invoice_items set position = $2 where invoice_id = $1 and position = $3', ids[1], to, from);
    },
    () => [says(1)],
  ],
  [
    'the VAT rate of a line',
    change('update invoice_items set vat_rate = 7 where invoice_id = $1 and position = 1', () => ids[1]),
    () => [says(1)],
  ],
  [
    'the invoice date',
    change('update invoices set invoice_date = invoice_date - 30 where id = $1', () => ids[1]),
    () => [says(1)],
  ],
  ['the due date', change('update invoices set due_date = due_date + 30 where id = $1', () => ids[1]), () => [says(1)]],
  [
    'the frozen buyer',
    change(`update invoice_parties set buyer = buyer || '{"company_name": "Else"}' where id = $1`, () => ids[3]),
    () => [says(3)],
  ],
  [
    'the total of a credit note',
    change(
      'update credit_notes set total_gross = total_gross - 1, total_net = total_net - 1 where id = $1',
      () => ids['credit note'],
    ),
    () => [
      {
        type: 'credit_note',
        id: ids['credit note'],
        message: 'Credit note CN-2026-0001: what it says is not what was proven',
      },
    ],
  ],
  [
    'the amount of a booked receipt',
    change(
      'update receipts set amount_gross = 238, vat_amount = 38, amount_net = 200 where id = $1',
      () => ids['receipt'],
    ),
    () => [
      {
        type: 'receipt',
        id: ids['receipt'],
        message: `Receipt ${ids['receipt']}: amount_gross, amount_net, vat_amount not as the audit log has it`,
      },
    ],
  ],
  [
    'the country of the supplier of a booked receipt',
    change(`update receipts set supplier_country = 'FR' where id = $1`, () => ids['receipt']),
    () => [
      {
        type: 'receipt',
        id: ids['receipt'],
        message: `Receipt ${ids['receipt']}: supplier_country not as the audit log has it`,
      },
    ],
  ],
  [
    'the exchange rate of a booked receipt',
    change(
      `update receipts set currency = 'USD', exchange_rate = 2, exchange_rate_date = '2026-01-01', exchange_currency = 'EUR'
       where id = $1`,
      () => ids['receipt'],
    ),
    () => [
      {
        type: 'receipt',
        id: ids['receipt'],
        message: `Receipt ${ids['receipt']}: currency, exchange_currency, exchange_rate, exchange_rate_date not as the audit log has it`,
      },
    ],
  ],
  [
    'a final period lock',
    change(`update period_locks set locked_until = '1990-01-01' where id = $1`, () => ids['lock']),
    () => [
      {
        type: 'period_lock',
        id: ids['lock'],
        message: `Period lock ${ids['lock']}: locked_until not as the audit log has it`,
      },
    ],
  ],
  [
    'the amount of a bank transaction',
    change('update bank_transactions set amount = 50, amount_open = 50 where id = $1', () => ids['transaction']),
    () => [
      {
        type: 'bank_transaction',
        id: ids['transaction'],
        message: `Bank transaction ${ids['transaction']}: amount, amount_open not as the audit log has it`,
      },
    ],
  ],
  [
    'payments that are deleted, and the invoice open again',
    async (run) => {
      await run('delete from payments where invoice_id = $1', ids[2]);
      await run(`update invoices set status = 'issued', amount_paid = 0, paid_at = null where id = $1`, ids[2]);
    },
    () => [
      { ...invoice(2), message: 'Invoice 2026-0002: amount_paid, paid_at, status not as the audit log has it' },
      { type: 'payment', message: expect.stringMatching(/^Payment .* is gone, and the audit log does not say who/) },
    ],
  ],
  [
    'the sequence set back',
    (run) => run('update invoice_sequences set last = 3 where tenant_id = $1', who.tenantId),
    () => [
      {
        type: 'invoice_sequence',
        id: '2026',
        message: 'The sequence of 2026 is at 3, and would give invoice 2026-0004 again',
      },
    ],
  ],
  [
    'a number that is changed',
    change(`update invoices set number = '2026-0009' where id = $1`, () => ids[2]),
    () => [
      { ...invoice(2), message: 'Invoice 2026-0009: the number that was proven is 2026-0002' },
      { type: 'invoice_sequence', id: '2026', message: 'Invoice 2026-0002 is missing' },
    ],
  ],
  [
    'two numbers that are swapped',
    async (run) => {
      await run(`update invoices set number = 'x' where id = $1`, ids[1]);
      await run(`update invoices set number = '2026-0001' where id = $1`, ids[2]);
      await run(`update invoices set number = '2026-0002' where id = $1`, ids[1]);
    },
    () => [
      { ...invoice(1), message: 'Invoice 2026-0002: the number that was proven is 2026-0001' },
      { ...invoice(2), message: 'Invoice 2026-0001: the number that was proven is 2026-0002' },
    ],
  ],
  [
    'a byte of a PDF',
    (run) => run(`update invoice_files set bytes = set_byte(bytes, 99, 255 - get_byte(bytes, 99)) where ${pdfOf(1)}`),
    () => [{ type: 'invoice_file', message: 'Invoice 2026-0001: the pdf file is not the one that was made' }],
  ],
  [
    'a PDF with its hash',
    (run) => run(`update invoice_files set bytes = ${otherPdf}, sha256 = sha256(${otherPdf}) where ${pdfOf(1)}`),
    () => [{ type: 'invoice_file', message: 'Invoice 2026-0001: the pdf file is not the one that was proven' }],
  ],
  [
    'a file that is deleted',
    (run) => run(`delete from invoice_files where ${pdfOf(3)}`),
    () => [{ ...invoice(3), message: 'Invoice 2026-0003: the pdf file is missing' }],
  ],
  [
    'files of two invoices that are swapped',
    async (run) => {
      const other = '00000000-0000-7000-8000-000000000000';
      await run(`update invoice_files set invoice_id = $1 where ${pdfOf(1)}`, other);
      await run(`update invoice_files set invoice_id = $1 where ${pdfOf(2)}`, ids[1]);
      await run(`update invoice_files set invoice_id = $1 where invoice_id = $2`, ids[2], other);
    },
    () =>
      [1, 2].map((number) => ({
        type: 'invoice_file',
        message: `Invoice 2026-000${number}: the pdf file is not the one that was proven`,
      })),
  ],
  [
    'the hash of a proof',
    change(`update document_proofs set hash = sha256('x') where invoice_id = $1`, () => ids[2]),
    () =>
      [2, 3].map((number) => ({
        type: 'document_proof',
        message: `Invoice 2026-000${number}: its proof does not follow from the proof before it`,
      })),
  ],
  [
    'a proof that is deleted in the middle',
    async (run) => {
      await run('delete from document_proofs where invoice_id = $1', ids[2]);
      await run(`update invoices set issued_at = issued_at - interval '2 hours' where tenant_id = $1`, who.tenantId);
      await run(`update audit_entries set at = at - interval '2 hours' where tenant_id = $1`, who.tenantId);
    },
    () => [
      { type: 'document_proof', message: 'Proof 2 is missing' },
      { ...invoice(2), message: 'Invoice 2026-0002 has no proof' },
    ],
  ],
  [
    'an invoice that is deleted in the middle',
    (run) => deletedInvoice(run, ids[2]!),
    () => [
      { type: 'document_proof', message: 'Proof 2: its document 2026-0002 is gone' },
      { type: 'invoice_sequence', id: '2026', message: 'Invoice 2026-0002 is missing' },
      {
        ...invoice(2),
        message: 'Invoice 2026-0002: is gone, and the audit log does not say who deleted it',
      },
    ],
  ],
];

it.each(found)('%s', async (_way, work, differences) => {
  const all = await differencesAfter(work);
  for (const difference of differences()) expect(all).toContainEqual(expect.objectContaining(difference));
});

/** Computes all proofs again, as somebody would who knows how, and leaves nothing of the audit log. */
async function rewriteChain(run: Run): Promise<void> {
  const proofs = await run(
    'select id, content, invoice_id, credit_note_id from document_proofs where tenant_id = $1 order by position',
    who.tenantId,
  );
  let before: Buffer | undefined;
  await run('update document_proofs set position = position + 1000 where tenant_id = $1', who.tenantId);
  for (const [at, proof] of proofs.entries()) {
    const said = readContent(String(proof['content'])) as DocumentContent | undefined;
    const files = await run(
      `select format, encode(sha256, 'hex') as sha256 from invoice_files where coalesce(invoice_id, credit_note_id) = $1`,
      proof['invoice_id'] ?? proof['credit_note_id'],
    );
    const content = writeContent({
      number: String(said?.number),
      at: said && 'at' in said ? said.at : '',
      files: Object.fromEntries(files.map(({ format, sha256 }) => [format, sha256])) as Record<string, string>,
      data: said?.data ?? '',
    });
    before = computeHash(before, content);
    await run(
      'update document_proofs set position = $2, content = $3, hash = $4 where id = $1',
      proof['id'],
      at + 1,
      content,
      before,
    );
  }
  for (const table of ['audit_seals', 'audit_entries', 'anchors'])
    await run(`delete from ${table} where tenant_id = $1`, who.tenantId);
}

const lastDeleted = async (run: Run): Promise<void> => {
  // The last of the chain is the credit note; with it goes what refers to it.
  for (const [table, column] of [
    ['document_proofs', 'credit_note_id'],
    ['invoice_files', 'credit_note_id'],
    ['credit_note_items', 'credit_note_id'],
    ['credit_notes', 'id'],
  ] as const)
    await run(`delete from ${table} where ${column} = $1`, ids['credit note']);
  await run('update invoices set amount_credited = 0, status = $2, paid_at = null where id = $1', ids[3], 'issued');
  for (const table of ['audit_seals', 'audit_entries', 'anchors'])
    await run(`delete from ${table} where tenant_id = $1`, who.tenantId);
};

const lastMissing = { type: 'document_proof', id: null, message: 'Proof 5 is missing, of which a hash was noted' };
const lastDiffers = {
  type: 'document_proof',
  message: 'Credit note CN-2026-0001: its proof is not the one of which a hash was noted at 5',
};

it.each([
  [
    'an invoice that is deleted, and the chain rewritten',
    async (run: Run) => {
      await deletedInvoice(run, ids[4]!);
      await run('delete from document_proofs where invoice_id = $1', ids[4]);
      await run('update invoice_sequences set last = 3 where tenant_id = $1', who.tenantId);
      await rewriteChain(run);
    },
    { alone: [], anchored: [lastMissing] },
  ],
  [
    'a PDF that is replaced, and the rest rewritten',
    async (run: Run) => {
      await run(`update invoice_files set bytes = ${otherPdf}, sha256 = sha256(${otherPdf}) where ${pdfOf(1)}`);
      await rewriteChain(run);
    },
    { alone: [], anchored: [lastDiffers] },
  ],
  [
    'the last document that is deleted with its proof',
    async (run: Run) => {
      await lastDeleted(run);
      await run('delete from credit_note_sequences where tenant_id = $1', who.tenantId);
    },
    { alone: [], anchored: [lastMissing] },
  ],
  [
    'the same leaving a hole',
    lastDeleted,
    {
      alone: [{ type: 'credit_note_sequence', id: '2026', message: 'Credit note CN-2026-0001 is missing' }],
      anchored: [lastMissing, { message: 'Credit note CN-2026-0001 is missing' }],
    },
  ],
  [
    'all proofs and files that are deleted',
    async (run: Run) => {
      for (const table of ['document_proofs', 'invoice_files', 'audit_seals', 'audit_entries', 'anchors'])
        await run(`delete from ${table} where tenant_id = $1`, who.tenantId);
    },
    { alone: [], anchored: [lastMissing] },
  ],
] as [string, (run: Run) => Promise<unknown>, { alone: object[]; anchored: object[] }][])(
  'by a hash that was noted: %s',
  async (_way, work, { alone, anchored }) => {
    const matching = (differences: object[]) => differences.map((each) => expect.objectContaining(each));
    expect(await differencesAfter(work)).toEqual(matching(alone));
    const all = await differencesAfter(work, { documents: [noted], auditLog: [] });
    for (const difference of matching(anchored)) expect(all).toContainEqual(difference);
  },
);

it('a rewritten document agrees with a rewritten proof only: its hash is computed by a third party', async () => {
  const [first] = await who.db.invoice.findMany({ where: { id: ids[1]! }, include: invoiceData });
  const [note] = await who.db.creditNote.findMany({ include: creditNoteData });
  const proofs = await who.db.documentProof.findMany({ orderBy: { position: 'asc' } });
  const of = (id: string | undefined) =>
    readContent(proofs.find(({ invoiceId, creditNoteId }) => (invoiceId ?? creditNoteId) === id)!.content);
  expect(of(ids[1])?.data).toBe(dataHash(first!, 2));
  expect(of(ids['credit note'])?.data).toBe(dataHash(note!, 2));
  const last = proofs.at(-1)!;
  const chained = Buffer.concat([proofs.at(-2)!.hash, Buffer.from(last.content)]);
  expect(noted).toEqual({ position: 5, hash: hash('sha256', chained) });
});

/** The seals as the job would make them of the entries that there are. */
async function rewriteSeals(run: Run): Promise<void> {
  await run('delete from audit_seals where tenant_id = $1', who.tenantId);
  const entries = await run(
    `select id, position, ${sealedContent} as content from audit_entries where tenant_id = $1 order by audit_entries.position, id`,
    who.tenantId,
  );
  let before: Buffer = Buffer.alloc(32);
  for (const [at, { id, position, content }] of entries.entries()) {
    const seal = computeSeal(before, { content: String(content) });
    await run(
      `insert into audit_seals (tenant_id, id, number, position, previous_hash, hash) values ($1, $2, $3, $4, $5, $6)`,
      who.tenantId,
      id,
      at + 1,
      position,
      before,
      seal,
    );
    before = seal;
  }
}

/** As if somebody else had made the third entry, of which no row tells. */
const otherActor = async (run: Run): Promise<void> => {
  await run(
    `update audit_entries set user_id = gen_random_uuid() where tenant_id = $1
     and id = (select id from audit_seals where tenant_id = $1 and number = 3)`,
    who.tenantId,
  );
  await rewriteSeals(run);
};

const withoutAnchors = (work: (run: Run) => Promise<unknown>) => async (run: Run) => {
  await work(run);
  await run('delete from anchors where tenant_id = $1', who.tenantId);
};

const ofLastSeal = (what: string) => ({
  type: 'audit_entry',
  message: `Entry ${kept.auditLog[0]!.position} of the audit log ${what}`,
});

it.each([
  ['another actor', otherActor, 'is not the one of which a hash was noted'],
  [
    'another time',
    async (run: Run) => {
      await run(
        `update audit_entries set at = at - interval '1 hour' where tenant_id = $1
         and id = (select id from audit_seals where tenant_id = $1 and number = 2)`,
        who.tenantId,
      );
      await rewriteSeals(run);
    },
    'is not the one of which a hash was noted',
  ],
  [
    'an entry that is left out',
    async (run: Run) => {
      const third = '(select id from audit_seals where tenant_id = $1 and number = 3)';
      await run(`delete from audit_entries where tenant_id = $1 and id = ${third}`, who.tenantId);
      await rewriteSeals(run);
    },
    'is missing, of which a hash was noted',
  ],
  [
    'no log any more',
    async (run: Run) => {
      for (const table of ['audit_seals', 'audit_entries'])
        await run(`delete from ${table} where tenant_id = $1`, who.tenantId);
    },
    'is missing, of which a hash was noted',
  ],
] as const)('a log that was rewritten is found by an anchor: %s', async (_way, work, what) => {
  const difference = expect.objectContaining(ofLastSeal(what)) as unknown;
  expect(await differencesAfter(withoutAnchors(work))).not.toContainEqual(difference);
  expect(await differencesAfter(withoutAnchors(work), kept)).toContainEqual(difference);
  // Also by the stored one, if whoever did it has forgotten that.
  expect(await differencesAfter(work)).toContainEqual(difference);
});

it('another actor in a rewritten log is found by nothing but an anchor', async () => {
  expect(await differencesAfter(withoutAnchors(otherActor))).toEqual([]);
  expect(await differencesAfter(withoutAnchors(otherActor), kept)).toHaveLength(1);
});

it('documents are compared with an anchor as well', async () => {
  expect(await differencesAfter(rewritten, kept)).toContainEqual(expect.objectContaining(lastDiffers));
});

const rewritten = async (run: Run): Promise<void> => {
  await run(`update invoice_files set bytes = ${otherPdf}, sha256 = sha256(${otherPdf}) where ${pdfOf(1)}`);
  await rewriteChain(run);
};

it.each([
  ['heads', `replace(content, '"position":5', '"position":4')`, 'signature'],
  ['text', `content || ' '`, 'signature'],
  ['signature', 'content', `set_byte(signature, 0, get_byte(signature, 0) # 1)`],
  ['key', 'content', `signature, public_key = sha256('x')`],
])('an anchor with another %s is not as it was signed', async (_what, content, rest) => {
  const sql = `update anchors set content = ${content}, signature = ${rest} where tenant_id = $1`;
  expect(await differencesAfter((run) => run(sql, who.tenantId))).toEqual([
    {
      type: 'anchor',
      id: expect.any(String),
      message: expect.stringMatching(/^The anchor of \d{4}-\d\d-\d\d is not as it was signed$/),
    },
  ]);
});

it("another tenant's anchor is none of this one's", async () => {
  const other = await service.integrator();
  await proveAndSeal(service, other);
  await makeAnchor(await service.contextOf(other), createAnchorKey(randomBytes(32)));
  const copy = `update anchors as own set content = other.content, signature = other.signature, public_key = other.public_key
    from anchors as other where own.tenant_id = $1 and other.tenant_id = $2`;
  expect(await differencesAfter((run) => run(copy, who.tenantId, other.tenantId))).toMatchObject([{ type: 'anchor' }]);
});
