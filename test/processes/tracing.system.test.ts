import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startReceiver, type Receiver } from '../webhooks/receiver.ts';
import { firstLogin } from '../first-login.ts';
import { dataFolder, npm, type Run } from './npm.ts';

interface Span {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: { key: string; value: object }[];
}

let run: Run;
let data: Awaited<ReturnType<typeof dataFolder>>;
let endpoint: Receiver;
let collector: ReturnType<typeof createServer>;
const spans: Span[] = [];
let received = '';
let url: string;
let token: string;

/** OpenTelemetry's collector, as far as JSON over HTTP goes. */
beforeAll(async () => {
  collector = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      received += body;
      const sent = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
      for (const { scopeSpans } of sent.resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  endpoint = await startReceiver();
  data = await dataFolder();
  const { port } = collector.address() as AddressInfo;
  run = npm(['start'], {
    DATA_DIR: data.path,
    DATABASE_URL: '',
    PORT: '0',
    WEBHOOK_ALLOW_INSECURE: '1',
    TRUSTED_PROXIES: '1',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
  });
  await run.until(/Ctrl-C stops everything/);
  ({ token, url } = firstLogin(run.out())!);
});
afterAll(async () => {
  run.killGroup('SIGINT');
  await run.exited;
  await endpoint.close();
  collector.close();
  await data.remove();
});

const post = async (path: string, body: object, headers: object = {}): Promise<Response> =>
  fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

it('a request is one trace, with its operation, statements, event, and delivery attempt', async () => {
  const query = `mutation { createWebhook(input: { url: "${endpoint.url}", events: ["*"] }) { secret } }`;
  expect((await (await post('/graphql', { query })).json()) as object).not.toHaveProperty('errors');

  const traceId = 'a'.repeat(32);
  const caller = 'b'.repeat(16);
  const customer = { type: 'customer', company_name: 'Secret & Sons' };
  const answer = await post('/api/v1/customers', customer, { traceparent: `00-${traceId}-${caller}-01` });
  expect(answer.status).toBe(201);
  const ours = (): Span[] => spans.filter((span) => span.traceId === traceId);
  await expect
    .poll(() => ours().map(({ name }) => name), { timeout: 20_000 })
    .toEqual(
      expect.arrayContaining([
        'POST /api/v1/customers',
        'createCustomer',
        'event customer.created',
        'fan-out customer.created',
        'attempt customer.created',
      ]),
    );

  const named = (name: string): Span | undefined => ours().find((span) => span.name === name);
  const parentOf = (span: Span | undefined): string | undefined =>
    ours().find(({ spanId }) => spanId === span?.parentSpanId)?.name;
  expect(named('POST /api/v1/customers')?.parentSpanId).toBe(caller);
  expect(parentOf(named('createCustomer'))).toBe('POST /api/v1/customers');
  expect(parentOf(named('event customer.created'))).toBe('createCustomer');
  expect(parentOf(named('fan-out customer.created'))).toBe('event customer.created');
  expect(parentOf(named('attempt customer.created'))).toBe('event customer.created');
  const statements = ours().filter(({ name }) => name.startsWith('SQL '));
  expect(statements.map(parentOf)).toContain('createCustomer');
  expect(JSON.stringify(statements)).toContain('customers');
  const requestId = { key: 'kontor.request_id', value: { stringValue: answer.headers.get('x-request-id') } };
  expect(named('POST /api/v1/customers')?.attributes).toContainEqual(requestId);
});

it('traces hold no values: neither tokens nor what a client sent', () => {
  expect(received).toContain('createCustomer');
  for (const secret of [token, 'Secret & Sons', endpoint.url]) expect(received).not.toContain(secret);
});
