import { Agent, request as httpRequest } from 'node:http';
import { expect } from 'vitest';
import type { Answer, Integrator } from '../harness.ts';
import { bodyEndpoints, samples, collections } from '../resources.ts';
import type { ApiValidator, Endpoint } from './description.ts';
import type { HostileRequest } from './hostile.ts';

// Sends the requests of hostile.ts and validates their answers.

/** Internal details that no answer may contain. */
const leaks =
  /node_modules|\.ts:\d|prisma|postgres|select .* from|insert into|violates|ECONN|at async|\/home\/|\/tmp\//i;
const agent = new Agent({ keepAlive: true });

/** Sends the request unchanged. `fetch` would normalize the URL and reject some methods. */
export function send(url: string, { token }: Integrator, request: HostileRequest): Promise<Answer> {
  const { method, path, headers, body, origin = '', hosts } = request;
  const target = new URL(url);
  const options = {
    agent,
    host: target.hostname,
    port: target.port,
    path: `${origin}/api/v1${path}`,
    method,
    // A list of names and values, as a name may occur twice.
    headers: Object.entries({
      authorization: `Bearer ${token}`,
      ...headers,
      ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
    })
      .concat((hosts ?? [target.host]).map((host) => ['host', host]))
      .flat(),
  };
  return new Promise((resolve, reject) => {
    httpRequest(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('error', reject).on('end', () => {
        const sent = new Headers();
        for (const [name, values] of Object.entries(response.headersDistinct)) sent.set(name, values!.join(', '));
        const isJson = text !== '' && sent.get('content-type')?.includes('json');
        resolve({ status: response.statusCode ?? 0, headers: sent, text, body: isJson ? JSON.parse(text) : undefined });
      });
    })
      .on('error', reject)
      .end(body);
  });
}

/** Checks the answer to a request for no documented operation: an HTTP error, or an answer to HEAD or OPTIONS. */
function plain({ method }: HostileRequest, { status, headers, body, text }: Answer): void {
  if (status < 400) {
    expect([200, 204]).toContain(status);
    if (method === 'HEAD' || method === 'OPTIONS') expect(text).toBe('');
    return;
  }
  expect([400, 404, 405, 415, 422, 431]).toContain(status);
  if (method === 'HEAD') return;
  const shape = { message: expect.stringMatching(/\S/), request_id: headers.get('x-request-id') };
  expect(body).toEqual(status === 422 ? { ...shape, errors: expect.any(Object), details: expect.any(Array) } : shape);
}

/** Fails unless the answer is documented and contains no internal details. */
export function validateAnswer(validator: ApiValidator, request: HostileRequest, answer: Answer): void {
  if (request.isMalformed) expect(answer.status).toBe(400);
  if (request.endpoint && !/\/(\.|%2e|\?|$)/.test(request.path)) validator.check(request.endpoint, answer);
  else plain(request, answer);
  if (answer.status >= 400) expect(answer.text).not.toMatch(leaks);
}

/** A body with every field for each operation. Its references are to existing rows. */
export async function usualBodies(
  who: Integrator,
  endpoints: Endpoint[],
): Promise<Map<string, Record<string, unknown>>> {
  const bodyExamples = [
    ...(await bodyEndpoints(who)),
    // Those that only some of the requests to them can be done with.
    ['POST', '/test-tenants', { name: 'x' }] as const,
    ['POST', '/test-clock', { now: '2030-01-01T00:00:00Z' }] as const,
    [
      'POST',
      '/test-helpers/bank-transactions',
      {
        amount: '1',
        currency: 'EUR',
        account_iban: 'DE02120300000000202051',
        reference: 'x',
        counterparty_name: 'x',
        counterparty_iban: 'DE89370400440532013000',
      },
    ] as const,
    ['POST', '/test-helpers/webhooks/x/failures', { failure: 'timeout', attempts: 1 }] as const,
  ];
  const ofTransitions = new Map(
    collections.flatMap(({ model, path }) =>
      Object.entries(samples[model].transitions ?? {}).map(([name, { body }]) => [`/${path}/{id}/${name}`, body]),
    ),
  );
  const of = ({ method, path }: Endpoint): object => {
    const ofTransition = ofTransitions.get(path);
    if (ofTransition) return ofTransition;
    const single = path.replace('/batch', method === 'patch' ? '/{id}' : '');
    const pattern = new RegExp(`^${single.replace('{id}', '[^/]+')}$`);
    const [, address, body] = bodyExamples.find(([verb, at]) => verb === method.toUpperCase() && pattern.test(at))!;
    if (path === single) return body;
    return { items: [method === 'patch' ? { ...body, id: address.split('/').at(-1) } : body], atomic: false };
  };
  const taking = endpoints.filter(({ operation }) => operation.requestBody?.content['application/json']);
  return new Map(taking.map((endpoint) => [endpoint.operation.operationId, of(endpoint) as Record<string, unknown>]));
}
