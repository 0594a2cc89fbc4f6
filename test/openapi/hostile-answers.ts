import { Agent, request } from 'node:http';
import { expect } from 'vitest';
import type { Answer, Integrator } from '../harness.ts';
import { bodyEndpoints } from '../resources.ts';
import type { Judge, Place } from './description.ts';
import type { Asked } from './hostile.ts';

// Sends what hostile.ts makes, and judges what is answered.

/** What an answer would say if it said more than is meant for clients. */
const leaks =
  /node_modules|\.ts:\d|prisma|postgres|select .* from|insert into|violates|ECONN|at async|\/home\/|\/tmp\//i;
const agent = new Agent({ keepAlive: true });

/** As it is: fetch would tidy up the address, and refuse some methods. */
export function send(url: string, { token }: Integrator, asked: Asked): Promise<Answer> {
  const { method, path, headers, body, origin = '', hosts } = asked;
  const target = new URL(url);
  const options = {
    agent,
    host: target.hostname,
    port: target.port,
    path: `${origin}/api/v1${path}`,
    method,
    // In pairs, as a name may come twice.
    headers: Object.entries({
      authorization: `Bearer ${token}`,
      ...headers,
      ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
    })
      .concat((hosts ?? [target.host]).map((host) => ['host', host]))
      .flat(),
  };
  return new Promise((resolve, reject) => {
    request(options, (response) => {
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

/** What was asked that is no operation of the description: one of the errors of transport, or what HEAD and OPTIONS say. */
function plain({ method }: Asked, { status, headers, body, text }: Answer): void {
  if (status < 400) {
    expect([200, 204]).toContain(status);
    if (method === 'HEAD' || method === 'OPTIONS') expect(text).toBe('');
    return;
  }
  expect([400, 404, 405, 415, 422, 431]).toContain(status);
  if (method === 'HEAD') return;
  const shape = { message: expect.stringMatching(/\S/), request_id: headers.get('x-request-id') };
  expect(body).toEqual(status === 422 ? { ...shape, errors: expect.any(Object) } : shape);
}

/** Fails unless the answer is a documented one, and says no more than is meant for clients. */
export function judgeAnswer(judge: Judge, asked: Asked, answer: Answer): void {
  if (asked.isMalformed) expect(answer.status).toBe(400);
  if (asked.place && !/\/(\.|%2e|\?|$)/.test(asked.path)) judge.check(asked.place, answer);
  else plain(asked, answer);
  if (answer.status >= 400) expect(answer.text).not.toMatch(leaks);
}

/** Bodies with every field that each operation takes, of what is there to be referred to. */
export async function usualBodies(who: Integrator, places: Place[]): Promise<Map<string, Record<string, unknown>>> {
  const endpoints = await bodyEndpoints(who);
  const of = ({ method, path }: Place): object => {
    const isOf = new RegExp(`^${path.replace('{id}', '[^/]+')}$`);
    return endpoints.find(([at, address]) => at === method.toUpperCase() && isOf.test(address))![2];
  };
  const taking = places.filter(({ operation }) => operation.requestBody);
  return new Map(taking.map((place) => [place.operation.operationId, of(place) as Record<string, unknown>]));
}
