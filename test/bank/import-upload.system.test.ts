import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBodyTurns } from '../../src/server/http/body-turns.ts';
import { ReadRetry } from '../../src/server/http/read-retry.ts';
import { createGraphqlHandler } from '../../src/server/graphql/handler.ts';
import { createTrustedDocuments } from '../../src/server/graphql/trusted-documents.ts';
import type { Answer } from '../harness.ts';
import { refusal } from '../graphql/books.ts';
import { camt, document, form, send, upload } from './statement.ts';
import { service, acme, serveImports, faultsSince, received } from './imports.ts';
import { withHolder } from '../../prisma/client.ts';

serveImports();

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

  it('rejects a longer one without holding it in memory', async () => {
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

  it('reads one of exactly 64 MiB', async () => {
    const answer = await sendChunks(() => statementOf(64 * 1024 * 1024));
    expect(answer.body).toEqual({ data: { imported: { imported: 1, skipped: 0, matched: 0, warnings: [] } } });
  });

  it('rejects a malformed one once it has arrived', async () => {
    const answer = await sendChunks(function* chunks() {
      yield '<Document><no <';
      for (let piece = 0; piece < 20; piece += 1) yield ' '.repeat(1_000_000);
    });
    expect(refusal(answer)).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: { file: [expect.stringMatching(/^Line 1: this is no well-formed XML/)] },
    });
  });

  it('rejects a form that ends within the file, also if the part of the file is valid', async () => {
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
  ])('answers a form %s with an error, and logs none', async (_what, data, message) => {
    const logged = service.log.length;
    const { status, body } = await send(service, data, { authorization: `Bearer ${acme.token}` });
    expect([200, 400, 413]).toContain(status);
    expect(body.errors[0].message).toMatch(message);
    expect(body.errors[0].extensions?.code).toMatch(/BAD_REQUEST|VALIDATION_FAILED/);
    expect(faultsSince(logged)).toEqual([]);
  });

  it('names the inputs of a misplaced and of a missing file', async () => {
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

  it('rejects requests without a token before the file, and requests without the ability', async () => {
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

  describe('rejects cross-site forms', () => {
    let behindTheGate: Server;
    let url: string;
    beforeAll(async () => {
      // As for somebody who is known by a cookie: past the gate without Authorization.
      const handler = createGraphqlHandler(
        service.domain.schema,
        pino({ level: 'silent' }),
        createTrustedDocuments(service.client),
        new ReadRetry(),
        createBodyTurns(),
      );
      behindTheGate = createServer(async (request, response) => {
        const tenant = await service.client.tenant.findUniqueOrThrow({ where: { id: acme.tenantId } });
        const user = { id: acme.userId, name: 'Ada', email: '' };
        const context = service.domain.contextFor({ user, tenant: withHolder(tenant), token: null });
        await handler.handle(request, response, {
          requestId: 'x',
          signal: new AbortController().signal,
          context,
          isStillAuthorized: async () => true,
          confirmAccess: async () => {},
          onAccessEnd: () => () => {},
          expiresInMs: null,
        });
      });
      await new Promise<void>((resolve) => behindTheGate.listen(0, '127.0.0.1', resolve));
      url = `http://127.0.0.1:${(behindTheGate.address() as AddressInfo).port}`;
    });
    afterAll(() => void behindTheGate.close());

    it('without Authorization and GraphQL-Require-Preflight', async () => {
      const answer = await send({ url }, form(camt([received])), {});
      expect(refusal(answer)).toMatchObject({
        code: 'FORBIDDEN',
        message: expect.stringMatching(/GraphQL-Require-Preflight/),
      });
      expect(await acme.db.bankTransaction.count()).toBe(0);
      const odd = await send({ url }, 'x', { 'content-type': 'Multipart/Form-Data; boundary=x' });
      expect(odd.status).toBeGreaterThanOrEqual(400);
    });

    it('but not requests with GraphQL-Require-Preflight, which a form can’t send', async () => {
      const answer = await send({ url }, form(camt([received])), { 'graphql-require-preflight': '1' });
      expect(answer.body.data.imported.imported).toBe(1);
    });
  });
});
