import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportBooks } from '../../schema/tenant-archive/export-archive.ts';
import { importBooks } from '../../schema/tenant-archive/restore-archive.ts';
import { computeHash } from '../../schema/resources/document/proof-content.ts';
import { creditNoteData, dataHash, invoiceData } from '../../schema/resources/document/proven-data.ts';
import { take, walk } from '../audit-log/walk.ts';
import { makeHistory } from '../books/history.ts';
import { makeIssuedInvoice, setCompany } from '../documents/parties.ts';
import { makeCreditNote, makeCustomer, makeInvoice, makeReceipt } from '../graphql/books.ts';
import { startService, type Integrator, type Service, withoutTriggers } from '../harness.ts';
import { proveAndSeal, verify } from './books.ts';

// Books that nobody has tampered with have no difference, whatever happened in them.

let service: Service;
let folder: string;
beforeAll(async () => {
  service = await startService();
  folder = await mkdtemp(join(tmpdir(), 'kontor-verify-'));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

async function copyOf(who: Integrator): Promise<Integrator> {
  let text = '';
  await exportBooks(await service.contextOf(who), async (part) => void (text += part));
  const file = join(folder, 'books.jsonl');
  await writeFile(file, text);
  const to = await service.integrator();
  await importBooks(await service.contextOf(to), service.domain.schema, file, { dryRun: false });
  return to;
}

describe('untouched books have no difference', () => {
  it('after random operations, and neither has their import', { timeout: 240_000 }, async () => {
    for (const steps of fc.sample(walk, { numRuns: 4, seed: 7 })) {
      const who = await service.integrator();
      for (const kind of ['create customer', 'create issued']) await take(who, { kind, which: 0, other: 0 });
      for (const step of steps) await take(who, step).catch(() => {});
      expect((await verify(service, who)).all).toEqual([]);
      await proveAndSeal(service, who);
      const found = await verify(service, who);
      expect(found).toMatchObject({ all: [], unproven: 0 });
      expect(found.documents).toBeGreaterThan(0);
      const to = await copyOf(who);
      await proveAndSeal(service, to);
      expect(await verify(service, to)).toMatchObject({
        all: [],
        documents: found.documents,
        position: found.position,
      });
      for (const step of steps.slice(0, 15)) await take(to, step).catch(() => {});
      expect((await verify(service, to)).all).toEqual([]);
    }
  });

  it('after a random history with currencies, statements, and credit notes', { timeout: 240_000 }, async () => {
    const who = await service.integrator();
    await makeHistory(service, who, { steps: 150, seed: 11 });
    expect((await verify(service, who)).all).toEqual([]);
    await proveAndSeal(service, who);
    const to = await copyOf(who);
    expect((await verify(service, to)).all).toEqual([]);
  });

  it('with more lines than one statement writes', { timeout: 120_000 }, async () => {
    const who = await service.integrator();
    const customerId = await makeCustomer(who);
    const items = Array.from({ length: 300 }, (_, at) => ({
      title: `Line ${at}`,
      quantity: '1',
      unitPriceNet: '1',
      vatRate: '19',
    }));
    for (const status of ['ISSUED', 'DRAFT', 'ISSUED'])
      await makeInvoice(who, { customerId, items: status === 'DRAFT' ? items.slice(0, 7) : items, status });
    await proveAndSeal(service, who);
    expect((await verify(service, who)).all).toEqual([]);
    expect((await verify(service, await copyOf(who))).all).toEqual([]);
  });

  it('while others write', { timeout: 120_000 }, async () => {
    const who = await service.integrator();
    await setCompany(who);
    await makeIssuedInvoice(who);
    await proveAndSeal(service, who);
    const done = new AbortController();
    const writers = fc.sample(walk, { numRuns: 3, seed: 5 }).map(async (steps) => {
      for (let at = 0; !done.signal.aborted; at += 1) await take(who, steps[at % steps.length]!).catch(() => {});
    });
    const jobs = (async () => {
      while (!done.signal.aborted) await proveAndSeal(service, who);
    })();
    try {
      for (let count = 0; count < 10; count += 1) expect((await verify(service, who)).all).toEqual([]);
    } finally {
      done.abort();
      await Promise.all([...writers, jobs]);
    }
    expect((await verify(service, who)).all).toEqual([]);
  });

  it('whose log was written in several time zones', async () => {
    const who = await service.integrator();
    await makeReceipt(who);
    const client = await service.pool.connect();
    try {
      await client.query("set timezone = 'Asia/Kathmandu'");
      await client.query('update receipts set version = version, description = $2 where tenant_id = $1', [
        who.tenantId,
        'x',
      ]);
      await client.query(
        `update receipts set status = 'paid', amount_paid = amount_gross, paid_at = now() where tenant_id = $1`,
        [who.tenantId],
      );
      await client.query(`update receipts set status = 'draft', amount_paid = 0, paid_at = null where tenant_id = $1`, [
        who.tenantId,
      ]);
      await client.query(`update receipts set created_at = created_at + interval '1 s' where tenant_id = $1`, [
        who.tenantId,
      ]);
    } finally {
      await client.query('reset timezone');
      client.release();
    }
    expect((await verify(service, who)).all).toEqual([]);
  });

  it('from before there was an audit log, and with entries whose time is over', async () => {
    const who = await service.integrator();
    const [first] = [await makeIssuedInvoice(who), await makeIssuedInvoice(who)];
    await proveAndSeal(service, who);
    const past = (sql: string): Promise<unknown> =>
      withoutTriggers(service, (client) => client.query(sql, [who.tenantId]));
    await past('delete from audit_seals where tenant_id = $1');
    await past('delete from audit_entries where tenant_id = $1');
    for (const table of ['customers', 'invoices'])
      await past(`update ${table} set created_at = created_at - interval '1 day' where tenant_id = $1`);
    expect((await verify(service, who)).all).toEqual([]);
    await who.rest('POST', `/invoices/${first}/payments`, { amount: 10 });
    await makeCustomer(who);
    await proveAndSeal(service, who);
    expect((await verify(service, who)).all).toEqual([]);
    await past('update invoices set amount_paid = 11, version = 2 where tenant_id = $1 and amount_paid = 10');
    expect((await verify(service, who)).all).toContainEqual({
      type: 'invoice',
      id: first,
      message: 'Invoice 2026-0001: amount_paid not as the audit log has it',
    });
  });

  it('whose proofs were made by earlier versions: with data of version 1, or of files only', async () => {
    const who = await service.integrator();
    const id = await makeIssuedInvoice(who);
    await makeCreditNote(who, { invoiceId: id });
    await makeIssuedInvoice(who);
    await proveAndSeal(service, who);
    const where = { where: { tenantId: who.tenantId } };
    const documents = new Map(
      [
        ...(await who.db.invoice.findMany({ ...where, include: invoiceData })),
        ...(await who.db.creditNote.findMany({ ...where, include: creditNoteData })),
      ].map((each) => [each.id, each]),
    );
    const proofs = await who.db.documentProof.findMany({ orderBy: { position: 'asc' } });
    let before: Buffer | undefined;
    for (const { id: proofId, position, invoiceId, creditNoteId, content } of proofs) {
      const { number, files } = JSON.parse(content) as { number: string; files: object };
      const data = position === 1 ? undefined : dataHash(documents.get(invoiceId ?? creditNoteId ?? '')!, 1);
      const text = JSON.stringify({ number, files, data });
      before = computeHash(before, text);
      await service.pool.query('update document_proofs set content = $3, hash = $4 where tenant_id = $1 and id = $2', [
        who.tenantId,
        proofId,
        text,
        before,
      ]);
    }
    await makeIssuedInvoice(who);
    await proveAndSeal(service, who);
    expect(await verify(service, who)).toMatchObject({ all: [], documents: 4 });
    // The form of version 1, as it was.
    const [first] = await who.db.invoice.findMany({ where: { id }, include: invoiceData });
    expect(dataHash(first!, 1)).not.toBe(dataHash(first!, 2));
    await service.pool.query(
      `update invoices set due_date = due_date + 1 where tenant_id = $1 and number = '2026-0002'`,
      [who.tenantId],
    );
    expect((await verify(service, who)).all.map(({ message }) => message)).toEqual([
      'Invoice 2026-0002: what it says is not what was proven',
    ]);
  });
});
