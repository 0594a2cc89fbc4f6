import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../src/identity/index.ts';
import { createRateLimiter, memoryStore } from '../../src/rate-limit.ts';
import { resources } from '../../prisma/client.ts';
import { asIntegrator, startService, type Answer, type Integrator, type Service } from '../harness.ts';
import { speak } from '../rest/raw.ts';
import * as sample from '../rest/samples.ts';
import { makeReferences, samples } from '../resources.ts';
import { bodies, values, type Case } from './cases.ts';
import { createJudge, description, operations, type Place } from './description.ts';

// Every operation of the description, as served, against the server that serves it.

let service: Service;
let acme: Integrator;
// What the server serves, as document.test.ts has seen.
const api = description();
const judge = createJudge(api);
const places = operations(api);
const taking = places.filter(({ operation }) => operation.requestBody);
/** The statuses that each operation was seen to answer. */
const seen = new Map<string, Set<string>>();

beforeAll(async () => {
  service = await startService({ limiter: () => createRateLimiter({ limit: 1_000_000, store: memoryStore() }) });
  acme = await service.integrator();
});
afterAll(() => service.close());

/** Fails unless the answer is a documented one of this operation. */
function check(place: Place, answer: Answer): Answer {
  judge.check(place, answer);
  const { operationId } = place.operation;
  seen.set(operationId, (seen.get(operationId) ?? new Set()).add(String(answer.status)));
  return answer;
}

type Maker = (who: Integrator) => Promise<string>;

/** Makers of rows, by the path of one row. */
const makersBy = (maker: 'make' | 'makeKept') =>
  new Map(resources.map(({ model, path }): [string, Maker | undefined] => [`/${path}/{id}`, samples[model][maker]]));
const makers = makersBy('make');
const makersOfKept = makersBy('makeKept');

const at = async ({ path }: Place, who = acme, make = makers): Promise<string> =>
  path.replace('{id}', (await make.get(path)?.(who)) ?? '');
const methodOf = ({ method }: Place): string => method.toUpperCase();

/** The operation's example, referring to what is there. */
async function exampleBody({ operation }: Place): Promise<Record<string, unknown> | undefined> {
  const example = operation.requestBody?.content['application/json'].example as Record<string, unknown> | undefined;
  if (!example) return undefined;
  const existing = Object.entries(await makeReferences(acme)).filter(([name]) => name in example);
  return { ...example, ...Object.fromEntries(existing) };
}

describe('every operation of the description', () => {
  it('succeeds with its example, as documented', async () => {
    for (const place of places) {
      const { status } = check(place, await acme.rest(methodOf(place), await at(place), await exampleBody(place)));
      expect([place.operation.operationId, status < 300]).toEqual([place.operation.operationId, true]);
    }
  });

  it('answers full pages as documented', async () => {
    for (const place of places.filter(({ path, method }) => method === 'get' && !path.includes('{id}'))) {
      const { body } = check(place, await acme.rest('GET', `${place.path}?per_page=1&page=1`));
      if (place.path !== '/me') expect([place.path, body.data.length]).toEqual([place.path, 1]);
    }
  });

  it.each(taking)(
    'takes the bodies that its schema calls good, and refuses those that it calls bad, under the right name: $operation.operationId',
    async (place) => {
      const usual = (await exampleBody(place)) ?? {};
      const { schema } = place.operation.requestBody!.content['application/json'];
      const path = await at(place);
      const cases = [...bodies(judge, schema, usual, place.method === 'post')];
      for (const { request, fault } of cases) {
        const answer = check(place, await acme.rest(methodOf(place), path, request));
        expectVerdict(place, { request, fault }, answer);
      }
      const fields = Object.keys(usual).length;
      expect(cases.filter(({ fault }) => fault === undefined).length).toBeGreaterThan(2 * fields);
      expect(cases.filter(({ fault }) => fault !== undefined).length).toBeGreaterThan(3 * fields);
    },
  );

  it('takes the parameters that their schemas call good, and refuses those that they call bad', async () => {
    for (const place of places) {
      for (const parameter of place.operation.parameters ?? []) {
        const { name, in: where, schema: reference } = judge.resolve(parameter);
        if (where !== 'query') continue;
        const schema = judge.resolve(reference);
        const usual = { uuid: sample.unknownId, date: '2026-01-31' }[schema.format ?? ''] ?? schema.default ?? 'x';
        for (const [value, good] of values(schema, usual)) {
          // In a query everything is text.
          if (typeof value !== 'string' && !(typeof value === 'number' && schema.type === 'integer')) continue;
          const query = new URLSearchParams({ [name]: String(value) });
          const answer = check(place, await acme.rest('GET', `${place.path}?${query.toString()}`));
          expectVerdict(place, { request: query.toString(), fault: good ? undefined : name }, answer);
        }
      }
    }
  });
});

function expectVerdict({ operation }: Place, { request, fault }: Case<unknown>, { status, body }: Answer): void {
  const about = { operation: operation.operationId, request: JSON.stringify(request).slice(0, 300) };
  const names = Object.keys(body?.errors ?? {});
  if (fault === undefined) expect({ ...about, refused: status > 299 && body }).toEqual({ ...about, refused: false });
  else {
    expect({
      ...about,
      status,
      named: names.some((name) => name === fault || name.startsWith(`${fault}.`)),
      names,
    }).toEqual({ ...about, status: 422, named: true, names });
  }
}

describe('every operation refuses as documented', () => {
  it('401, without a token that is valid', async () => {
    for (const place of places) {
      const path = `/api/v1${await at(place)}`;
      expect(check(place, await service.request(methodOf(place), path)).status).toBe(401);
    }
  });

  it('403, where the token has no tenant, or not the ability that `security` names', async () => {
    const orphan = await service.integrator();
    await service.client.apiToken.update({ where: { id: orphan.tokenId }, data: { tenantId: null } });
    for (const place of places) {
      const path = await at(place);
      const body = await exampleBody(place);
      expect(check(place, await orphan.rest(methodOf(place), path)).status).toBe(403);
      const [ability] = place.operation.security?.[0]?.['token'] ?? [];
      if (!ability) continue;
      for (const [abilities, may] of [
        [['webhooks:read'], false],
        [[ability], true],
      ] as const) {
        const token = await createToken(service.client, { tenantId: acme.tenantId, abilities: [...abilities] });
        const who = asIntegrator(service, { ...acme, token: token.token, tokenId: token.id });
        const { status } = check(place, await who.rest(methodOf(place), path, body));
        expect([place.operation.operationId, status === 403]).toEqual([place.operation.operationId, !may]);
      }
    }
  });

  it('404, for an id that is none, unknown, or another tenant’s', async () => {
    const other = await service.integrator();
    for (const place of places.filter(({ path }) => path.includes('{id}'))) {
      const theirs = await at(place, other);
      for (const path of [place.path.replace('{id}', 'x'), place.path.replace('{id}', sample.unknownId), theirs]) {
        const answer = check(place, await acme.rest(methodOf(place), path, await exampleBody(place)));
        expect([path, answer.status]).toEqual([path, 404]);
      }
    }
  });

  it('405, for every method that its address is not described with', async () => {
    for (const place of places) {
      const described = new Set(places.filter(({ path }) => path === place.path).map(methodOf));
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        if (described.has(method)) continue;
        const answer = check(place, await acme.rest(method, place.path.replace('{id}', sample.unknownId)));
        expect([place.path, method, answer.status]).toEqual([place.path, method, 405]);
        const allowed = answer.headers.get('allow')?.split(', ');
        expect(allowed?.toSorted()).toEqual([...described, 'HEAD', 'OPTIONS'].toSorted());
      }
    }
  });

  it('413 and 415, where it takes a body', async () => {
    for (const place of taking) {
      const path = await at(place);
      const long = JSON.stringify({ nonsense: 'x'.repeat(1024 * 1024) });
      expect(check(place, await acme.rest(methodOf(place), path, long)).status).toBe(413);
      const type = { 'content-type': 'text/plain' };
      expect(check(place, await acme.rest(methodOf(place), path, '{}', type)).status).toBe(415);
    }
  });

  it('422, where something refers to what is to be deleted', async () => {
    for (const place of places.filter((each) => each.method === 'delete' && makersOfKept.get(each.path))) {
      const path = await at(place, acme, makersOfKept);
      expect([path, check(place, await acme.rest('DELETE', path)).status]).toEqual([path, 422]);
    }
  });

  it('429, over the limit', async () => {
    const limited = await startService({ limiter: () => createRateLimiter({ limit: 1, store: memoryStore() }) });
    try {
      const who = await limited.integrator();
      await who.rest('GET', '/me');
      for (const place of places) {
        const answer = await who.rest(methodOf(place), place.path.replace('{id}', sample.unknownId));
        expect(check(place, answer).status).toBe(429);
      }
    } finally {
      await limited.close();
    }
  });

  it('500, for a fault of the service', async () => {
    const broken = await startService();
    try {
      const who = await broken.integrator();
      await broken.pool.query('drop table customers cascade');
      const place = places.find(({ operation }) => operation.operationId === 'listCustomers')!;
      expect(check(place, await who.rest('GET', '/customers')).status).toBe(500);
    } finally {
      await broken.close();
    }
  });

  it('400 and 431, for what is no HTTP request', async () => {
    const place = places[0]!;
    for (const [status, request] of [
      [400, 'nonsense\r\n\r\n'],
      [431, `GET /api/v1/me HTTP/1.1\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
    ] as const) {
      const [head = '', text = ''] = (await speak(service, request)).split('\r\n\r\n');
      const [line, ...lines] = head.split('\r\n');
      expect(line).toContain(` ${status} `);
      const headers = new Headers(lines.map((each) => each.split(': ', 2) as [string, string]));
      check(place, { status, headers, text, body: JSON.parse(text) });
    }
  });

  it('and every status that is documented has been seen, but for those of broken connections', () => {
    const unseen = places.flatMap(({ method, path, operation: { operationId, responses } }) =>
      Object.keys(responses)
        .filter((status) => status !== '422' || method !== 'delete' || makersOfKept.get(path))
        .filter((status) => !['400', '408', '431', '500'].includes(status) && !seen.get(operationId)?.has(status))
        .map((status) => `${operationId} ${status}`),
    );
    expect(unseen).toEqual([]);
  });
});
