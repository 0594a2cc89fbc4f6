import { hash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { attachmentKey, deleteUnusedFiles } from '../../schema/resources/attachment/files.ts';
import { maxAttachments } from '../../schema/resources/attachment/rules.ts';
import { makeReceipt } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { attach, jpeg, makePdf, png, sending, webp, xml, type Send } from './files.ts';

let service: Service;
let acme: Integrator;
let send: Send;
let receipt: string;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  send = sending(service, acme);
});
afterAll(() => service.close());
beforeEach(async () => {
  receipt = await makeReceipt(acme);
});

const readVersion = async (id = receipt): Promise<number> =>
  (await acme.graphql('query ($id: UUID!) { receipt(id: $id) { version } }', { id })).receipt.version;

const list = async (id = receipt): Promise<Record<string, unknown>[]> =>
  (await send('GET', `/receipts/${id}/attachments`)).body.data;

describe('a file of a draft', () => {
  it('is added, listed, read, downloaded, and removed', async () => {
    const bytes = makePdf();
    const added = await attach(send, receipt, bytes, 'Rechnung "März".pdf');
    expect(added.status).toBe(201);
    const { id } = added.body.data;
    const path = `/receipts/${receipt}/attachments/${id}`;
    const attachment = {
      id,
      receipt_id: receipt,
      position: 1,
      filename: 'Rechnung "März".pdf',
      content_type: 'application/pdf',
      length: bytes.length,
      sha256: hash('sha256', bytes),
      url: `${service.url}/api/v1${path}/file`,
      created_at: expect.stringMatching(/\+00:00$/),
    };
    expect(added.body).toEqual({ data: attachment });
    expect(added.headers.get('location')).toBe(`${service.url}/api/v1${path}`);
    expect((await send('GET', path)).body).toEqual({ data: attachment });
    expect((await send('GET', `/receipts/${receipt}/attachments`)).body).toMatchObject({
      data: [attachment],
      meta: { total: 1 },
    });

    const file = await send('GET', `${path}/file`);
    expect(file.status).toBe(200);
    expect(file.bytes.equals(bytes)).toBe(true);
    expect(Object.fromEntries(file.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(bytes.length),
      'content-disposition': `attachment; filename="Rechnung \\"M?rz\\".pdf"; filename*=UTF-8''Rechnung%20%22M%C3%A4rz%22.pdf`,
      'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      etag: expect.stringMatching(/^"[\w-]{16}"$/), // as the OpenAPI description has it
    });
    const head = await send('HEAD', `${path}/file`);
    expect(head.status).toBe(200);
    expect(head.bytes).toHaveLength(0);
    expect(head.headers.get('content-length')).toBe(String(bytes.length));
    const again = await send('GET', `${path}/file`, undefined, { 'if-none-match': file.headers.get('etag') ?? '' });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);

    expect((await send('DELETE', path)).status).toBe(204);
    for (const gone of [path, `${path}/file`]) expect((await send('GET', gone)).status).toBe(404);
    expect(await list()).toEqual([]);
  });

  it.each([
    ['image/png', png],
    ['image/jpeg', jpeg],
    ['image/webp', webp],
    ['application/xml', xml],
  ])('is %s by its content, whatever the request says', async (type, bytes) => {
    const added = await attach(send, receipt, bytes, 'a.html', { 'content-type': 'text/html' });
    expect(added.body.data).toMatchObject({ content_type: type, filename: 'a.html' });
    const { headers } = await send('GET', `/receipts/${receipt}/attachments/${added.body.data.id}/file`);
    expect(headers.get('content-type')).toBe(type);
  });

  it('has its place: the first is the original, and a removed one leaves a gap', async () => {
    const ids: string[] = [];
    for (const name of ['a.pdf', 'b.pdf', 'c.pdf'])
      ids.push((await attach(send, receipt, makePdf(), name)).body.data.id);
    await send('DELETE', `/receipts/${receipt}/attachments/${ids[1]}`);
    await attach(send, receipt, makePdf(), 'd.pdf');
    const places = (await list()).map(({ position, filename }) => [position, filename]);
    expect(places).toEqual([
      [1, 'a.pdf'],
      [3, 'c.pdf'],
      [4, 'd.pdf'],
    ]);
    const page = await send('GET', `/receipts/${receipt}/attachments?per_page=2`);
    expect(page.body.data).toHaveLength(2);
    const { pathname, search } = new URL(page.body.links.next);
    const next = await send('GET', pathname.replace('/api/v1', '') + search);
    expect(next.body.data.map(({ filename }: { filename: string }) => filename)).toEqual(['d.pdf']);
  });

  it('counts as a change of the receipt: version, event, change feed, audit log', async () => {
    const before = await readVersion();
    const { id } = (await attach(send, receipt)).body.data;
    expect(await readVersion()).toBe(before + 1);
    await send('DELETE', `/receipts/${receipt}/attachments/${id}`);
    expect(await readVersion()).toBe(before + 2);
    const events = await acme.db.event.findMany({ where: { resourceId: receipt }, orderBy: { id: 'asc' } });
    expect(events.map(({ type }) => type)).toEqual(['receipt.created', 'receipt.updated', 'receipt.updated']);
    const { body: changed } = await send('GET', '/changes');
    expect(changed.data.at(-1)).toMatchObject({ resource: 'receipt', id: receipt });
    const entries = await acme.db.auditEntry.findMany({ where: { resourceId: id }, orderBy: { id: 'asc' } });
    expect(entries.map(({ resource, action }) => [resource, action])).toEqual([
      ['attachment', 'created'],
      ['attachment', 'deleted'],
    ]);
    expect(entries[0]?.after).toMatchObject({ receipt_id: receipt, filename: 'receipt.pdf' });
  });

  it('is shown and removed in GraphQL, too', async () => {
    const { id, url, sha256 } = (await attach(send, receipt)).body.data;
    const query = `query ($id: UUID!) { receipt(id: $id) { attachments { id position filename contentType length sha256 url } } }`;
    const { receipt: shown } = await acme.graphql(query, { id: receipt });
    expect(shown.attachments).toMatchObject([{ id, position: 1, sha256, url }]);
    const remove = `mutation ($receipt: UUID!, $id: UUID!) { deleteAttachment(receiptId: $receipt, id: $id) { filename } }`;
    const { deleteAttachment } = await acme.graphql(remove, { receipt, id });
    expect(deleteAttachment).toEqual({ filename: 'receipt.pdf' });
    expect((await acme.graphql(query, { id: receipt })).receipt.attachments).toEqual([]);
  });

  it.each([
    ['the receipt is booked', () => send('POST', `/receipts/${receipt}/book`)],
    ['the draft is deleted', () => send('DELETE', `/receipts/${receipt}`)],
    [
      'it has as many files as it may',
      async () => {
        for (let count = 1; count < maxAttachments; count += 1) await attach(send, receipt);
      },
    ],
  ])('is answered again for an Idempotency-Key, also once %s', async (_, change) => {
    const [key, bytes] = [{ 'idempotency-key': randomUUID() }, makePdf()];
    const first = await attach(send, receipt, bytes, 'receipt.pdf', key);
    expect(first.status).toBe(201);
    await change();
    const again = await attach(send, receipt, bytes, 'receipt.pdf', key);
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([201, first.body, 'true']);
    const other = await attach(send, receipt, makePdf(), 'receipt.pdf', key);
    expect([other.status, other.body.details[0].code]).toEqual([422, 'key_reused']);
    const another = await attach(send, receipt, bytes, 'receipt.pdf', { 'idempotency-key': randomUUID() });
    expect([404, 422]).toContain(another.status);
  });

  it('is added once for an Idempotency-Key, whose second file is not kept', async () => {
    const [key, bytes] = [{ 'idempotency-key': randomUUID() }, makePdf()];
    const unused = await acme.db.unusedFile.count();
    const first = await attach(send, receipt, bytes, 'a.pdf', key);
    const second = await attach(send, receipt, bytes, 'a.pdf', key);
    expect(second.status).toBe(201);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
    expect(await list()).toHaveLength(1);
    expect(await acme.db.unusedFile.count()).toBe(unused);
    for (const [other, name] of [
      [makePdf(), 'a.pdf'],
      [bytes, 'b.pdf'],
    ] as const)
      expect((await attach(send, receipt, other, name, key)).status).toBe(422);
  });

  it('is refused beyond twenty of a receipt, before it is received', async () => {
    await acme.db.attachment.createMany({
      data: Array.from({ length: maxAttachments }, (_, at) => ({
        receiptId: receipt,
        position: at + 1,
        filename: 'a.pdf',
        contentType: 'application/pdf',
        length: 1,
        sha256: Buffer.alloc(32),
      })),
    });
    const refused = await attach(send, receipt);
    expect(refused.status).toBe(422);
    expect(refused.body.details).toMatchObject([{ field: 'id', code: 'limit_reached', params: { max: 20 } }]);
  });
});

it('is refused beyond what the files of the tenant may have, with those that are not deleted yet', async () => {
  const bytes = makePdf();
  const storage = service.fileStorage as { quota: number };
  const { quota } = storage;
  const [own, other] = [await service.integrator(), await service.integrator()];
  const [ownSend, draft] = [sending(service, own), await makeReceipt(own)];
  storage.quota = 2.5 * bytes.length;
  try {
    const ids: string[] = [];
    for (let at = 0; at < 2; at += 1) ids.push((await attach(ownSend, draft, bytes)).body.data.id);
    await ownSend('DELETE', `/receipts/${draft}/attachments/${ids[0]}`);
    const refused = await attach(ownSend, draft, bytes);
    expect([refused.status, refused.body.details[0].code]).toEqual([422, 'limit_reached']);
    expect(await own.db.unusedFile.count()).toBe(1);
    // Not another tenant's.
    expect((await attach(sending(service, other), await makeReceipt(other), bytes)).status).toBe(201);
    storage.quota = 2 * bytes.length - 1;
    const full = await attach(ownSend, draft, bytes);
    expect([full.status, full.body.details[0].code]).toEqual([422, 'limit_reached']);
    expect(Object.keys(full.body.errors)).toEqual(['id']); // the name that the request has
  } finally {
    storage.quota = quota;
  }
});

describe('booking', () => {
  const isFrozen = {
    message: "status: A booked receipt's attachments can not be changed: reverse it, and add the right one.",
  };

  it('freezes attachments, in the API and in the database', async () => {
    const { id } = (await attach(send, receipt)).body.data;
    const other = await makeReceipt(acme);
    const { id: ofOther } = (await attach(send, other)).body.data;
    await acme.rest('POST', `/receipts/${receipt}/book`);
    expect((await attach(send, receipt)).body).toMatchObject(isFrozen);
    const removed = await send('DELETE', `/receipts/${receipt}/attachments/${id}`);
    expect([removed.status, removed.body.details[0].code]).toEqual([422, 'not_a_draft']);
    expect((await send('GET', `/receipts/${receipt}/attachments/${id}/file`)).status).toBe(200);
    const row = { receiptId: receipt, position: 2, filename: 'b', contentType: 'application/pdf', length: 1 };
    await expect(acme.db.attachment.create({ data: { ...row, sha256: Buffer.alloc(32) } })).rejects.toThrow(
      'is booked',
    );
    await expect(acme.db.attachment.deleteMany({ where: { id } })).rejects.toThrow('is booked');
    for (const data of [{ filename: 'other' }, { receiptId: other }])
      await expect(acme.db.attachment.updateMany({ where: { id }, data })).rejects.toThrow('is booked');
    await expect(
      acme.db.attachment.updateMany({ where: { id: ofOther }, data: { receiptId: receipt, position: 9 } }),
    ).rejects.toThrow('is booked');
  });

  it('keeps them also when the receipt is reversed', async () => {
    const { id } = (await attach(send, receipt)).body.data;
    await acme.rest('POST', `/receipts/${receipt}/book`);
    await acme.rest('POST', `/receipts/${receipt}/reverse`);
    expect((await send('GET', `/receipts/${receipt}/attachments/${id}/file`)).status).toBe(200);
    expect((await attach(send, receipt)).status).toBe(404);
  });

  it('and an upload at the same time come one after the other', async () => {
    for (let round = 0; round < 5; round++) {
      const draft = await makeReceipt(acme);
      await attach(send, draft);
      const [added] = await Promise.all([attach(send, draft), acme.rest('POST', `/receipts/${draft}/book`)]);
      expect([201, 422]).toContain(added.status);
      expect(await list(draft)).toHaveLength(added.status === 201 ? 2 : 1);
    }
  });
});

describe('what is left in the storage', () => {
  const readStored = (id: string) => service.fileStorage.read(attachmentKey(acme.tenantId, id));

  it('is deleted a day after the attachment, or its draft', async () => {
    const { id } = (await attach(send, receipt)).body.data;
    const { id: kept } = (await attach(send, receipt)).body.data;
    await send('DELETE', `/receipts/${receipt}/attachments/${id}`);
    const draft = await makeReceipt(acme);
    const { id: ofDraft } = (await attach(send, draft)).body.data;
    await acme.rest('DELETE', `/receipts/${draft}`);
    expect(await acme.db.attachment.count({ where: { receiptId: draft } })).toBe(0);
    const context = await service.contextOf(acme);
    await deleteUnusedFiles(context);
    for (const each of [id, ofDraft, kept]) (await readStored(each))!.content.destroy();
    await deleteUnusedFiles({ ...context, now: () => new Date(Date.now() + 25 * 3_600_000) });
    for (const each of [id, ofDraft]) expect(await readStored(each)).toBeUndefined();
    (await readStored(kept))!.content.destroy();
    expect(await acme.db.unusedFile.findMany()).toEqual([]);
  });
});
