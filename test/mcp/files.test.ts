import type { ReadStream } from 'node:fs';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileStorage } from '../../schema/graphql/file-storage.ts';
import { fromRest, maxResultBytes } from '../../src/server/mcp/tool-result.ts';
import type { Worker } from '../../src/jobs/worker.ts';
import { addReceipts, exported } from '../exports/exports.ts';
import { makeIssuedInvoice, setCompany } from '../documents/parties.ts';
import { makeCustomer } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { work } from '../webhooks/receiver.ts';
import { connectClient, type Json } from './client.ts';

let service: Service;
let worker: Worker;
let acme: Integrator;
let client: Client;
/** The files that were read from the storage, in order. */
let read: ReadStream[] = [];

beforeAll(async () => {
  service = await startService();
  // The domain holds the same object.
  const storage: FileStorage = service.fileStorage;
  const open = storage.read.bind(storage);
  storage.read = async (key) => {
    const file = await open(key);
    if (file) read.push(file.content as ReadStream);
    return file;
  };
  worker = await work(service);
  acme = await service.integrator();
  client = await connectClient(service, acme.token);
});
afterAll(async () => {
  await client.close();
  await worker.stop();
  await service.close();
});

const getFile = async (id: unknown): Promise<Json> => {
  read = [];
  return client.callTool({ name: 'getExportFile', arguments: { id } });
};

describe('getExportFile', () => {
  it('of a file that is too long is answered its address and length, and leaves the file unread', async () => {
    await addReceipts(service, acme, 15_000, 2000);
    const { row } = await exported(service, acme, { type: 'list', resource: 'receipts' });
    expect(row['length']).toBeGreaterThan(30_000_000);
    const { content } = await getFile(row['id']);
    expect(content).toEqual([
      {
        type: 'resource_link',
        uri: `${service.url}/api/v1/exports/${String(row['id'])}/file`,
        name: 'receipts.csv',
        mimeType: 'text/csv',
        description: expect.any(String),
        size: row['length'],
      },
    ]);
    expect(read.map(({ destroyed }) => destroyed)).toEqual([true]);
    expect(read[0]?.bytesRead).toBeLessThan(4 * maxResultBytes);
  });

  it('of a short file has its text, or its bytes', async () => {
    await makeCustomer(acme, { companyName: 'Äpfel & Söhne' });
    for (const format of ['csv', 'xlsx']) {
      const { row, file } = await exported(service, acme, { type: 'list', resource: 'customers', format });
      const { content } = await getFile(row['id']);
      const uri = `${service.url}/api/v1/exports/${String(row['id'])}/file`;
      const has = format === 'csv' ? { text: file.toString() } : { blob: file.toString('base64') };
      expect(content).toMatchObject([{ type: 'resource', resource: { uri, ...has } }]);
      expect(read.map(({ destroyed }) => destroyed)).toEqual([true]);
    }
  });
});

it.each([
  [1, 'resource'],
  [400, 'resource_link'],
])('getInvoiceXml of %d lines is a %s whose address answers the same file', async (lines, type) => {
  await setCompany(acme);
  const item = { title: 'Consulting', quantity: '1', unitPriceNet: '100', vatRate: '19' };
  const id = await makeIssuedInvoice(acme, { items: Array.from({ length: lines }, () => item) });
  const args = { id, format: 'xrechnung-cii' };
  const { content } = (await client.callTool({ name: 'getInvoiceXml', arguments: args })) as Json;
  expect(content[0].type).toBe(type);
  const { uri, text } = content[0].resource ?? content[0];
  const response = await fetch(uri, { headers: { authorization: `Bearer ${acme.token}` } });
  const file = await response.text();
  expect([response.status, file.slice(0, 5)]).toEqual([200, '<?xml']);
  if (type === 'resource') expect(text).toBe(file);
});

describe('A file’s result', () => {
  const asked = { isRead: true, sizeArgument: undefined, address: 'https://books.example/file', requestId: 'r' };
  /** A response whose body counts what is read of it. Without `chunks` it has 20 MiB. */
  const respond = (headers: Record<string, string>, { chunks = 1280, size = 16_384 } = {}) => {
    const seen = { bytes: 0, isCancelled: false };
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      if (seen.bytes >= chunks * size) return controller.close();
      seen.bytes += size;
      controller.enqueue(Buffer.alloc(size, 'x'));
    };
    const cancel = (): void => void (seen.isCancelled = true);
    const body = new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
    return { seen, response: new Response(body, { headers }) };
  };

  it.each([
    ['text/csv', {}],
    ['application/zip', {}],
    ['application/zip', { 'content-length': '10' }], // that is wrong
    ['application/zip', { 'content-length': String(2 ** 31) }],
  ])('of %s with %j is read no further than a result may be long', async (type, headers) => {
    const { seen, response } = respond({ 'content-type': type, ...headers });
    const { content } = await fromRest(response, asked);
    const size = new Headers(headers).get('content-length');
    expect(content).toMatchObject([{ type: 'resource_link', ...(size !== null && { size: Number(size) }) }]);
    expect(seen.isCancelled).toBe(true);
    expect(seen.bytes).toBeLessThanOrEqual(Number(size) > maxResultBytes ? 0 : maxResultBytes + 16_384);
  });

  it.each([
    ['text/csv', maxResultBytes, true],
    ['text/csv', maxResultBytes + 1, false],
    ['application/zip', 75_000, true],
    ['application/zip', 75_001, false],
  ])('of %s with %d bytes, with and without their number, is inline: %j', async (type, size, isInline) => {
    for (const length of [[], [['content-length', String(size)]]]) {
      const { response } = respond({ 'content-type': type, ...Object.fromEntries(length) }, { chunks: 1, size });
      const { content } = await fromRest(response, asked);
      expect(content[0]?.type).toBe(isInline ? 'resource' : 'resource_link');
    }
  });

  it('is of bytes where a text would not have the same ones', async () => {
    const bytes = Buffer.from('Bücher', 'latin1');
    const response = new Response(bytes, { headers: { 'content-type': 'text/csv; charset=windows-1252' } });
    const { content } = await fromRest(response, asked);
    expect(content).toMatchObject([{ resource: { mimeType: 'text/csv', blob: bytes.toString('base64') } }]);
  });

  it('is an error if its body fails', async () => {
    const body = new ReadableStream({ pull: () => Promise.reject(new Error('The storage is gone')) });
    const response = new Response(body, { headers: { 'content-type': 'text/csv' } });
    await expect(fromRest(response, asked)).rejects.toThrow('The storage is gone');
  });
});
