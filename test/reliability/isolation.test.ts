import { SingleBar } from 'cli-progress';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { routes } from '../../rest-shim/routes.ts';
import { getChecks } from '../../schema/graphql/plugins/authorization-and-validation.ts';
import { toSchema } from '../../schema/index.ts';
import { startSession } from '../../src/identity/index.ts';
import { startService, type Answer, type Integrator, type Service } from '../harness.ts';
import { readBooks } from '../graphql/books.ts';
import { argumentsFor, documentFor, leadsTo, listPlaces, pathsTo } from '../graphql/questions.ts';
import { doInBulk, untilEnded } from '../bulk/operations.ts';
import { fill } from '../isolation/books.ts';
import { work } from '../webhooks/receiver.ts';
import { bulkKinds } from '../../schema/resources/bulk-operation/kinds.ts';
import { size } from './size.ts';

/** The number of calls. Each is sent twice: with another tenant's id, and with an unknown one. */
const calls = size('CALLS', { suite: 500, full: 50_000 });

let service: Service;
let acme: Integrator;
let globex: Integrator;
let cookie: string;
let mine: string[];
let theirs: string[];

beforeAll(async () => {
  service = await startService();
  service.clock.now = new Date(); // cursors of the change feed have the time
  acme = await service.integrator();
  globex = await service.integrator();
  const ids = async (who: Integrator) => [...Object.values(await fill(who)), who.userId, who.tokenId, who.tenantId];
  mine = await ids(acme);
  theirs = await ids(globex);
  const session = await startSession(service.client, { userId: acme.userId, userAgent: null, now: new Date() });
  cookie = `kontor=${session.token}`;
});
afterAll(() => service.close());

type Call = (id: string) => Promise<Answer>;

const pick = <T>(of: readonly T[]): T => of[Math.floor(Math.random() * of.length)]!;
const maybe = (): boolean => Math.random() < 0.5;
const schema = toSchema();

const isInFilter = ([argument]: string[]): boolean => argument === 'filter';
const idPlaces = listPlaces(schema)
  .filter(({ operation }) => operation)
  .map((place) => ({ place, paths: pathsTo('UUID', place.field.args) }))
  .filter(({ paths }) => paths.length > 0);

/**
 * A call of any GraphQL field with an id argument. The id is one argument; the others are own ids or omitted. In a filter all
 * conditions must hold, so one other at most is an own id.
 */
function graphqlCall(): Call {
  const { place, paths } = pick(idPlaces);
  const path = pick(paths);
  const inFilter = paths.filter(isInFilter);
  const [other] = inFilter.length > 0 && maybe() ? [pick(inFilter).join('.')] : [];
  const others = new Map(
    paths.map((each) => {
      const here = each.join('.');
      return [here, (isInFilter(each) ? here === other : maybe()) ? pick(mine) : null];
    }),
  );
  return (id) => {
    const args = argumentsFor(place.field.args, (at) => {
      const here = at.join('.');
      if (at.at(-1) === '…')
        return leadsTo(at.slice(0, -1), path) || other?.startsWith(at.slice(0, -1).join('.') + '.');
      if (!others.has(here)) return undefined;
      const value = here === path.join('.') ? id : (others.get(here) ?? undefined);
      const argument = place.field.args.find(({ name }) => name === here);
      const isWanted = (at.length > 1 && !isInFilter(at)) || String(argument?.type).endsWith('!');
      const wanted = value ?? (isWanted ? mine[0] : undefined);
      return String(argument?.type).startsWith('[') && wanted !== undefined ? [wanted] : wanted;
    });
    const body = { query: documentFor(place, args), variables: args };
    const { inSession } = getChecks(place.field.extensions['pothosOptions']);
    const headers: Record<string, string> = inSession ? { cookie } : { authorization: `Bearer ${acme.token}` };
    return service.request('POST', '/graphql', { body, headers });
  };
}

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const inRest = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inRest);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [snake(name), inRest(each)]));
  return typeof value === 'string' && /^[A-Z_]+$/.test(value) ? value.toLowerCase() : value;
};

const bodyOf = (operation: string) =>
  (schema.getMutationType()?.getFields()[operation]?.args ?? []).filter(({ name }) => name === 'input');
const placesInBody = (operation: string): string[] => pathsTo('UUID', bodyOf(operation)).map((path) => path.join('.'));
/** Whether each item of a batch names what it changes. */
const namesRows = (method: string, path: string): boolean => method === 'PATCH' && path.endsWith('/batch');
const takesId = routes.filter(
  ([method, path, operation]) =>
    path !== '/me' &&
    (method === 'GET' || path.includes(':id') || namesRows(method, path) || placesInBody(operation).length > 0),
);

/** A call of any REST endpoint with an id in its path, its query, or its body. */
function restCall(): Call {
  const [method, path, operation] = pick(takesId);
  const inBody = placesInBody(operation);
  const place = pick([...(path.includes(':id') || namesRows(method, path) ? ['id'] : []), ...inBody]);
  const [own, filter] = [pick(mine), pick(['customer_id', 'supplier_id', 'project_id'])];
  return (id) => {
    const { input } = argumentsFor(bodyOf(operation), (at) => {
      if (at.at(-1) === '…') return place !== undefined && leadsTo(at.slice(0, -1), place.split('.'));
      if (!inBody.includes(at.join('.'))) return undefined;
      return at.join('.') === place ? id : own;
    }) as { input?: object };
    const address = path.includes(':id') ? path.replace(':id', place === 'id' ? id : own) : `${path}?${filter}=${id}`;
    const fields = inRest(input ?? {}) as object;
    const item = namesRows(method, path) ? { ...fields, id: place === 'id' ? id : own } : fields;
    const body = path.endsWith('/batch') ? { items: [item] } : fields;
    return acme.rest(method, address, method === 'POST' || method === 'PATCH' ? body : undefined);
  };
}

/**
 * An answer without the parts that always differ: the date, the request's id, and the requested id, which also determine how
 * long a compressed body is.
 */
const comparable = ({ status, headers, text }: Answer, id: string) => ({
  status,
  headers: [...headers].filter(
    ([name]) =>
      name !== 'date' && name !== 'x-request-id' && !(name === 'content-length' && headers.has('content-encoding')),
  ),
  text: text.replaceAll(headers.get('x-request-id') ?? '', 'REQUEST').replaceAll(id, 'ID'),
});

const unknownLike = (id: string): string => id.slice(0, -1) + (id.endsWith('0') ? '1' : '0');

it(`another tenant’s id is answered byte for byte like an unknown one in ${calls} generated calls`, async () => {
  const before = [await readBooks(service, acme), await readBooks(service, globex)];
  const statuses = new Map<number, number>();
  const bar = new SingleBar({ format: '  {bar} {value}/{total} calls, {eta_formatted} to go', stream: process.stderr });
  bar.start(calls, 0);
  let sent = 0;
  const sendCalls = async (): Promise<void> => {
    while (sent++ < calls) {
      const call = maybe() ? restCall() : graphqlCall();
      const id = pick(theirs);
      const answers = [comparable(await call(id), id), comparable(await call(unknownLike(id)), unknownLike(id))];
      expect(answers[0]).toEqual(answers[1]);
      const { status } = answers[0]!;
      expect(status).toBeLessThan(500);
      expect(answers[0]!.text).not.toContain('INTERNAL_SERVER_ERROR');
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      bar.increment();
    }
  };
  await Promise.all(Array.from({ length: 16 }, sendCalls)).finally(() => bar.stop());
  expect([await readBooks(service, acme), await readBooks(service, globex)]).toEqual(before);
  const counts = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`);
  process.stdout.write(
    `  ${calls} calls with another tenant’s ids, none told from unknown ones: ${counts.join(', ')}\n`,
  );
});

const bulkActions = Object.entries(bulkKinds).flatMap(([resource, { model, actions }]) =>
  actions.map((action) => ({
    resource: resource.toLowerCase().replace('_', '-'),
    model,
    action: action.toLowerCase(),
  })),
);

/** Lines with this id in each place that can have one, in turn. The other places have own ids, or nothing. */
function linesWith(id: string, { model, action }: (typeof bulkActions)[number], own: string): object[] {
  if (action === 'delete') return [{ id }];
  const operation = `${action === 'upsert' ? 'create' : action}${model}`;
  const inBody = placesInBody(operation);
  const buildLine = (place: string): object => {
    const { input } = argumentsFor(bodyOf(operation), (at) => {
      if (at.at(-1) === '…') return leadsTo(at.slice(0, -1), place.split('.'));
      if (!inBody.includes(at.join('.'))) return undefined;
      return at.join('.') === place ? id : own;
    }) as { input?: object };
    const line = { ...(inRest(input ?? {}) as object), external_id: 'E' };
    return action === 'update' ? { ...line, id: place === 'id' ? id : own } : line;
  };
  return [...(action === 'update' ? ['id'] : []), ...inBody].map(buildLine);
}

it('another tenant’s id in a line of a bulk operation has the result of an unknown one', async () => {
  const worker = await work(service);
  onTestFinished(() => worker.stop());
  // Its own operations end first.
  for (const { id } of await globex.db.bulkOperation.findMany()) await untilEnded(globex, id);
  const readChanges = async (): Promise<string> => (await globex.rest('GET', '/changes?limit=1000')).text;
  const before = await readChanges();
  let compared = 0;
  for (const kind of bulkActions) {
    const read = async (ids: readonly string[]): Promise<string[]> => {
      const lines = ids.flatMap((id) => linesWith(id, kind, mine[0] ?? ''));
      if (lines.length === 0) return []; // nothing in such a line refers to another row
      const { results } = await doInBulk(acme, kind, lines);
      return results.map((result) => JSON.stringify(result));
    };
    const results = await read(theirs);
    expect(results).toEqual(await read(theirs.map(unknownLike)));
    for (const result of results) expect(result).toMatch(/"status":4/);
    compared += results.length;
  }
  expect(compared).toBeGreaterThan(100);
  expect(await readChanges()).toBe(before);
});
