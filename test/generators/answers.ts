import type { Answer, Integrator } from '../harness.ts';
import { operations, type Description, type Endpoint } from '../openapi/description.ts';
import { bodyEndpoints, collections, makeEach, makeRoom, samples } from '../resources.ts';
import { unknownId } from '../rest/samples.ts';

/** An answer with a body, and the operation that gave it. */
export interface RealAnswer {
  operationId: string;
  request: string;
  answer: Answer;
}

/** Sends requests to every endpoint that answers JSON, with each resource in several states. */
export async function collectAnswers(
  who: Integrator,
  description: Description,
  atLeast: number,
): Promise<RealAnswer[]> {
  const endpoints = operations(description);
  const answers: RealAnswer[] = [];
  const send = async (method: string, path: string, body?: unknown): Promise<void> => {
    const { operation } = findEndpoint(endpoints, method, path);
    const answer = await who.rest(method, path, body);
    answers.push({ operationId: operation.operationId, request: `${method} ${path}`, answer });
  };
  while (answers.filter(({ answer }) => answer.status < 300).length < atLeast) await sendRound(who, endpoints, send);
  return answers;
}

type Send = (method: string, path: string, body?: unknown) => Promise<void>;

async function sendRound(who: Integrator, endpoints: Endpoint[], send: Send): Promise<void> {
  await makeRoom(who);
  const made: Record<string, string> = await makeEach(who);
  for (const [method, path, body] of await bodyEndpoints(who)) {
    await send(method, path, body);
    await send(method, path, { nonsense: 1 });
    const batch = method === 'POST' && endpoints.find((each) => each.path === `${path}/batch`);
    if (batch) await send('POST', batch.path, { items: [body, {}] });
  }
  for (const { model, path } of collections)
    for (const [transition, { made: fields = {}, body = {} }] of Object.entries(samples[model].transitions ?? {}))
      await send('POST', `/${path}/${await samples[model].make(who, fields)}/${transition}`, body);
  for (const { path, method, operation } of endpoints) {
    if (method !== 'get' || !operation.responses['200']?.content?.['application/json']) continue;
    await send('GET', path.replace('{id}', made[path.split('/')[1] ?? ''] ?? unknownId));
    if (path.includes('{id}')) await send('GET', path.replace('{id}', unknownId));
    else await send('GET', `${path}?per_page=2&limit=5&page=2`);
  }
}

/** The endpoint of an address: one without an id in front of one that `{id}` would match as well. */
function findEndpoint(endpoints: Endpoint[], method: string, path: string): Endpoint {
  const [address = ''] = path.split('?');
  const fitting = endpoints.filter(
    (each) =>
      each.method === method.toLowerCase() && new RegExp(`^${each.path.replace('{id}', '[^/]+')}$`).test(address),
  );
  const found = fitting.find((each) => each.path === address) ?? fitting[0];
  if (!found) throw new Error(`There is no ${method} ${path}`);
  return found;
}
