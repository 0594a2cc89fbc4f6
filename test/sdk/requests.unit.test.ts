import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { HttpClient } from '../../src/sdk/client/http-client.ts';
import { ConnectionError, TimeoutError } from '../../src/sdk/client/errors.ts';
import type { KontorOptions } from '../../src/sdk/client/options.ts';

// The SDK's requests to a server that is slow.

interface Answering {
  client: HttpClient;
  /** The URLs of its requests. */
  urls: string[];
}

async function answeredBy(
  answer: RequestListener,
  options: Partial<KontorOptions>,
  test: (answering: Answering) => Promise<void>,
): Promise<void> {
  const urls: string[] = [];
  const server = createServer((request, response) => {
    urls.push(request.url ?? '');
    answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await test({ client: new HttpClient({ baseUrl, token: 'x', maxRetries: 0, ...options }), urls });
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}

const json: RequestListener = (_request, response) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":1}');

/** Sends parts with pauses, and then goes on, or falls silent. */
const inParts =
  (parts: number, pauseMs: number, ends = true): RequestListener =>
  async (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/pdf' });
    for (let part = 0; part < parts; part += 1) {
      response.write('x'.repeat(1000));
      await sleep(pauseMs);
    }
    if (ends) response.end();
  };

describe('a timeout', () => {
  it('does not end a download whose parts arrive in time', () =>
    answeredBy(inParts(8, 100), { timeout: 400 }, async ({ client, urls }) => {
      const file = await client.download('/invoices/x/pdf');
      expect([file.size, file.type, urls.length]).toEqual([8000, 'application/pdf', 1]);
    }));

  it('ends a download that has no further part', () =>
    answeredBy(inParts(3, 20, false), { timeout: 200 }, async ({ client }) => {
      await expect(client.download('/invoices/x/pdf')).rejects.toBeInstanceOf(TimeoutError);
    }));

  it('leaves a file the time to be sent, unless the call has its own', () =>
    answeredBy(
      (request, response) => void setTimeout(() => request.resume().on('end', () => json(request, response)), 500),
      { timeout: 100 },
      async ({ client }) => {
        const file = new Blob([new Uint8Array(4_000_000)]);
        expect(await client.request('POST', '/receipts/x/attachments', { file })).toEqual({ data: 1 });
        const options = { timeout: 100 };
        await expect(client.request('POST', '/receipts/x/attachments', { file, options })).rejects.toBeInstanceOf(
          TimeoutError,
        );
      },
    ));

  it.each([Number.POSITIVE_INFINITY, 2 ** 31, 1e12])('of %d ms does not end a request at once', (timeout) =>
    answeredBy(json, { timeout }, async ({ client }) => {
      expect(await client.request('GET', '/me')).toEqual({ data: 1 });
    }),
  );
});

it.each([
  ['idempotencyKey', 'Bestellung – 7'],
  ['ifMatch', '"€"'],
])('a %s that no header may have is refused before a request is sent', (name, value) =>
  answeredBy(json, {}, async ({ client, urls }) => {
    const sending = client.request('POST', '/customers', { body: {}, options: { [name]: value } });
    await expect(sending).rejects.toBeInstanceOf(TypeError);
    await expect(sending).rejects.not.toBeInstanceOf(ConnectionError);
    expect(urls).toEqual([]);
  }),
);

it('a query has a Date as its time, and the keys of an object in brackets', () =>
  answeredBy(json, {}, async ({ client, urls }) => {
    const since = new Date('2026-03-01T00:00:00Z');
    await client.request('GET', '/customers', { query: { since, metadata: { shop: 'a b' }, q: undefined, page: 2 } });
    expect(urls).toEqual(['/api/v1/customers?since=2026-03-01T00%3A00%3A00.000Z&metadata%5Bshop%5D=a+b&page=2']);
  }));
