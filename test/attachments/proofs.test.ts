import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { attachmentKey } from '../../schema/resources/attachment/files.ts';
import { readContent, type ReceiptContent } from '../../schema/resources/document/proof-content.ts';
import { makeReceipt } from '../graphql/books.ts';
import { startService, type Integrator, type Service, withoutTriggers } from '../harness.ts';
import { proveAndSeal, verify } from '../verify/books.ts';
import { attach, makePdf, png, sending, type Send } from './files.ts';

// A booked receipt with attachments is in the chain of proofs. Whoever changes it past the service is found.

let service: Service;
let acme: Integrator;
let send: Send;
let receipt: string;
let files: { id: string; bytes: Buffer }[];

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  acme = await service.integrator();
  send = sending(service, acme);
  receipt = await makeReceipt(acme, { receiptNumber: 'R-1' });
  files = [];
  for (const bytes of [makePdf(), png, makePdf(200_000)]) {
    const { id } = (await attach(send, receipt, bytes, `${files.length}.pdf`)).body.data;
    files.push({ id, bytes });
  }
  await acme.rest('POST', `/receipts/${receipt}/book`);
  await proveAndSeal(service, acme);
});

const messages = async (): Promise<string[]> => (await verify(service, acme)).all.map(({ message }) => message);

/** Does what a superuser can, with triggers off. */
async function tamper(sql: string, ...values: unknown[]): Promise<void> {
  const { rowCount } = await withoutTriggers(service, (client) => client.query(sql, values));
  expect(rowCount).toBeGreaterThan(0);
}

const replaceFile = async (id: string, bytes: Buffer): Promise<void> => {
  await service.fileStorage.write(attachmentKey(acme.tenantId, id), Readable.from([bytes]), 1e9);
};

it('is proven, with the hash of each attachment in its order', async () => {
  const [proof] = await acme.db.documentProof.findMany();
  expect(proof).toMatchObject({ position: 1, receiptId: receipt, invoiceId: null });
  const content = readContent(proof!.content) as ReceiptContent;
  expect(content).toMatchObject({
    version: 3,
    receipt,
    at: proof!.createdAt.toISOString(),
    attachments: files.map(({ bytes }) => hash('sha256', bytes)),
  });
  const { all, documents, files: counted, unproven } = await verify(service, acme);
  expect({ all, documents, counted, unproven }).toEqual({ all: [], documents: 1, counted: 3, unproven: 0 });
});

it('stays proven when it is paid, and when it is reversed', async () => {
  await acme.rest('POST', `/receipts/${receipt}/payments`, {});
  await proveAndSeal(service, acme);
  expect(await messages()).toEqual([]);
  const { data } = (await acme.rest('GET', '/payments')).body;
  await acme.rest('POST', `/payments/${data[0].id}/reverse`, {});
  await acme.rest('POST', `/receipts/${receipt}/reverse`, {});
  await proveAndSeal(service, acme);
  expect(await messages()).toEqual([]);
  expect(await acme.db.documentProof.count()).toBe(1);
});

it('without attachments has no proof', async () => {
  const plain = await makeReceipt(acme, { status: 'BOOKED' });
  await proveAndSeal(service, acme);
  expect(await acme.db.documentProof.count({ where: { receiptId: plain } })).toBe(0);
  expect(await messages()).toEqual([]);
});

describe('verify finds', () => {
  it.each<[name: string, change: () => Promise<void>, found: RegExp[]]>([
    [
      'a byte of a file',
      async () => {
        const bytes = Buffer.from(files[0]!.bytes);
        bytes[100]! ^= 1;
        await replaceFile(files[0]!.id, bytes);
      },
      [/^Receipt R-1: the attachment 0.pdf is not the one that was uploaded$/],
    ],
    [
      'a file that is gone',
      () => service.fileStorage.delete(attachmentKey(acme.tenantId, files[1]!.id)),
      [/^Receipt R-1: the attachment 1.pdf is missing in the storage of files$/],
    ],
    [
      'two files swapped',
      async () => {
        await replaceFile(files[0]!.id, files[2]!.bytes);
        await replaceFile(files[2]!.id, files[0]!.bytes);
      },
      [/0.pdf is not the one that was uploaded/, /2.pdf is not the one that was uploaded/],
    ],
    [
      'a file with its hash and its length',
      async () => {
        const bytes = makePdf(999);
        await replaceFile(files[0]!.id, bytes);
        await tamper(
          'update attachments set sha256 = $2, length = $3 where id = $1',
          files[0]!.id,
          hash('sha256', bytes, 'buffer'),
          bytes.length,
        );
      },
      [
        /0.pdf is not the one that was proven/,
        /what it says is not what was proven/,
        /length, sha256 not as the audit log has it/,
      ],
    ],
    [
      'the places of two files',
      async () => {
        await tamper(
          'update attachments set position = position + 10 where receipt_id = $1 and position <> 2',
          receipt,
        );
        await tamper(
          'update attachments set position = 14 - position where receipt_id = $1 and position <> 2',
          receipt,
        );
      },
      [
        /what it says is not what was proven/,
        /2.pdf is not the one that was proven/,
        /0.pdf is not the one that was proven/,
      ],
    ],
    [
      'the name of a file',
      () => tamper(`update attachments set filename = 'other.pdf' where id = $1`, files[0]!.id),
      [/what it says is not what was proven/, /filename not as the audit log has it/],
    ],
    [
      'an attachment that is gone',
      () => tamper('delete from attachments where id = $1', files[2]!.id),
      [/1 of its proven attachments is missing/, /is gone, and the audit log does not say who deleted it/],
    ],
    [
      'an attachment that was added',
      () =>
        tamper(
          `insert into attachments select tenant_id, gen_random_uuid(), receipt_id, 9, 'more.pdf', content_type, length, sha256, now() from attachments where id = $1`,
          files[0]!.id,
        ),
      [/the attachment more.pdf is not among those that were proven/, /more.pdf is missing in the storage/],
    ],
    [
      'an amount of the receipt',
      () => tamper('update receipts set amount_gross = 238, amount_net = 200, vat_amount = 38 where id = $1', receipt),
      [/what it says is not what was proven/, /amount_gross/],
    ],
    [
      'its proof that is gone, with its place in the queue',
      () => tamper('delete from document_proofs where receipt_id = $1', receipt),
      [],
    ],
    [
      'a receipt that is gone',
      async () => {
        await tamper('delete from attachments where receipt_id = $1', receipt);
        await tamper('delete from receipts where id = $1', receipt);
      },
      [/its receipt \S+ is gone/],
    ],
  ])('%s', async (_, change, found) => {
    await change();
    const all = await messages();
    for (const pattern of found) expect(all).toContainEqual(expect.stringMatching(pattern));
    if (found.length > 0) return;
    // It may be booked just now: it is found when it is late.
    service.clock.now = new Date(Date.now() + 7_200_000);
    const later = await messages().finally(() => (service.clock.now = undefined));
    expect(later).toContainEqual('Receipt R-1 has no proof');
  });

  it('a line, and the place of a line', async () => {
    const lines = [
      { description: 'Paper', vatRate: '19', amountGross: '119', account: '4930' },
      { description: 'Books', vatRate: '7', amountGross: '107' },
    ];
    const booked = await makeReceipt(acme, { receiptNumber: 'R-2', amountGross: '226', vatRate: undefined, lines });
    await attach(send, booked);
    await acme.rest('POST', `/receipts/${booked}/book`);
    await proveAndSeal(service, acme);
    expect(await messages()).toEqual([]);
    await tamper(`update receipt_lines set account = '4900' where receipt_id = $1 and position = 1`, booked);
    expect(await messages()).toContainEqual(expect.stringMatching(/R-2.*what it says is not what was proven/));
    await tamper(`update receipt_lines set account = '4930' where receipt_id = $1 and position = 1`, booked);
    expect(await messages()).toEqual([]);
    await tamper('update receipt_lines set position = position + 10 where receipt_id = $1', booked);
    await tamper('update receipt_lines set position = 13 - position where receipt_id = $1', booked);
    expect(await messages()).toContainEqual(expect.stringMatching(/R-2.*what it says is not what was proven/));
  });

  it('the file of a draft, too', async () => {
    const draft = await makeReceipt(acme);
    const { id } = (await attach(send, draft)).body.data;
    expect(await messages()).toEqual([]);
    await replaceFile(id, makePdf());
    expect(await messages()).toEqual([`Receipt ${draft}: the attachment receipt.pdf is not the one that was uploaded`]);
  });
});
