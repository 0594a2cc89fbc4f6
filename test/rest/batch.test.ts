import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../src/identity/index.ts';
import { createRateLimiter, memoryStore } from '../../src/security/rate-limit.ts';
import { routes } from '../../rest-shim/routes.ts';
import { resources } from '../../schema/resource-list.ts';
import { listEvents, readBooks } from '../graphql/books.ts';
import { asIntegrator, startService, type Integrator, type Service } from '../harness.ts';
import { makeReferences, samples, type References } from '../resources.ts';
import { anyBody } from './anything.ts';
import * as sample from './samples.ts';
import { create, expectNoInternalError, invalidFields, refusal } from './samples.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
});
afterAll(() => service.close());

const batches = routes.filter(([, , , kind]) => kind === 'batch').map(([method, path]) => [method, path] as const);

/** Ids that stand for a tenant's rows in generated bodies. */
const placeholders = Object.fromEntries(
  ['customer_id', 'invoice_id', 'invoice_item_id', 'supplier_id', 'project_id', 'first', 'second'].map((name, at) => [
    name,
    `00000000-0000-7000-8000-00000000000${at}`,
  ]),
);
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** A new tenant that has what the bodies refer to, with the rows that a PATCH may name. */
async function makeTenant(make: (who: Integrator) => Promise<string>) {
  const who = await service.integrator();
  const rows: Record<string, string> = {
    ...(await makeReferences(who)),
    first: await make(who),
    second: await make(who),
  };
  const ids = new Map([[who.tenantId, 'tenant'], ...Object.entries(rows).map(([name, id]) => [id, name] as const)]);
  return {
    who,
    /** A body with the tenant's own rows. */
    own: (body: unknown): unknown =>
      JSON.parse(
        Object.entries(placeholders).reduce(
          (text, [name, id]) => text.replaceAll(id, rows[name] ?? ''),
          JSON.stringify(body),
        ),
      ),
    /** The response without the database's time, and with each id as its place among those seen. */
    comparable: (value: unknown): string =>
      JSON.stringify(value)
        .replaceAll(/("(?:created|updated)_at":)"[^"]*"/g, '$1"T"')
        .replaceAll(uuid, (id) => {
          if (!ids.has(id)) ids.set(id, `id ${ids.size}`);
          return ids.get(id) ?? '';
        }),
  };
}

describe('a batch is answered as its items are alone', () => {
  it.each(batches)('%s %s, with the same rows and events', async (method, path) => {
    const collection = path.replace('/batch', '');
    const model = resources.find((each) => `/${each.path}` === collection)!.model;
    const valid = samples[model].bodies!(placeholders as unknown as References)[method as 'POST']!;
    const body = anyBody({ ...valid, ...(model === 'Invoice' && { status: 'issued' }) });
    const rows = fc.constantFrom(placeholders['first']!, placeholders['second']!, sample.unknownId, 'x');
    const changing = fc
      .tuple(rows, body)
      .map(([id, fields]) => ({ ...(typeof fields === 'object' && !Array.isArray(fields) ? fields : {}), id }));
    const items = fc.array<unknown>(method === 'POST' ? body : changing, { minLength: 1, maxLength: 6 });
    // Each kind of answer is there in every run, whatever else is generated.
    const usual: unknown[] =
      method === 'POST'
        ? [valid, {}]
        : [
            { ...valid, id: placeholders['first'] },
            { ...valid, id: sample.unknownId },
            { id: placeholders['second'], unknown: 1 },
          ];
    service.clock.now = new Date('2026-03-01T12:00:00Z');
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(items, fc.boolean(), async (sent, hasKey) => {
        const [together, alone] = [await makeTenant(samples[model].make), await makeTenant(samples[model].make)];
        const key: Record<string, string> = hasKey && method === 'POST' ? { 'idempotency-key': 'once' } : {};
        const batch = await together.who.rest(method, path, { items: together.own(sent) }, key);
        expect([batch.status, Object.keys(batch.body)]).toEqual([200, ['results']]);
        const singles: object[] = [];
        for (const item of alone.own(sent) as { id?: string }[]) {
          const at = method === 'POST' ? collection : `${collection}/${item.id}`;
          const { status, body: answer } = await alone.who.rest(method, at, item);
          const { request_id: _, ...result } = answer;
          singles.push({ status, ...result });
          statuses.add(status);
        }
        expect(together.comparable(batch.body.results)).toBe(alone.comparable(singles));
        const [theirs, ours] = [await listEvents(service, together.who), await listEvents(service, alone.who)];
        expect(together.comparable(theirs)).toBe(alone.comparable(ours));
      }),
      { numRuns: 8, examples: [[usual, false]], endOnFailure: true },
    );
    service.clock.now = undefined;
    expect([...statuses]).toEqual(expect.arrayContaining(method === 'POST' ? [201, 422] : [200, 404, 422]));
    expectNoInternalError(service);
  });
});

describe('a batch', () => {
  it('keeps the order of its items, and counts as one request', async () => {
    const limiter = () => createRateLimiter({ limit: 3, store: memoryStore() });
    const limited = await startService({ limiter });
    try {
      const who = await limited.integrator();
      const items = Array.from({ length: 100 }, (_each, at) => ({ ...sample.customer, city: `c${at}` }));
      const { body, headers } = await who.rest('POST', '/customers/batch', { items });
      expect(body.results.map(({ status, data }: { status: number; data: object }) => [status, data])).toEqual(
        items.map((item) => [201, expect.objectContaining(item)]),
      );
      expect(headers.get('x-ratelimit-remaining')).toBe('2');
      expect((await who.rest('GET', '/customers')).body.meta.total).toBe(100);
    } finally {
      await limited.close();
    }
  });

  it('has warnings where the single answer has them', async () => {
    const { id } = await create(acme, '/customers', sample.customer);
    const { body } = await acme.rest('POST', '/invoices/batch', { items: [sample.invoice(id)] });
    expect(body.results).toEqual([{ status: 201, data: expect.any(Object), warnings: expect.any(Array) }]);
  });

  it.each(batches)('needs the ability of the single request: %s %s', async (method, path) => {
    const scope = resources.find((each) => path === `/${each.path}/batch`)!.scope;
    for (const [ability, status] of [
      ['read', 403],
      [`${scope}:write`, 200],
    ] as const) {
      const { token, id } = await createToken(service.client, { tenantId: acme.tenantId, abilities: [ability] });
      const who = asIntegrator(service, { ...acme, token, tokenId: id });
      expect((await who.rest(method, path, { items: [{ id: sample.unknownId }] })).status).toBe(status);
    }
  });

  it.each(['customers', 'projects'])(
    'answers 404 to another tenant’s ids, and changes nothing of it: %s',
    async (path) => {
      const stranger = await service.integrator();
      const { id } = await create(acme, `/${path}`, path === 'customers' ? sample.customer : sample.project);
      const before = await readBooks(service, acme);
      for (const atomic of [false, true])
        for (const fields of [{}, { name: 'x', company_name: 'x' }, { zip: 1 }]) {
          const { body } = await stranger.rest('PATCH', `/${path}/batch`, { items: [{ id, ...fields }], atomic });
          expect(body.results).toEqual([{ status: 404, message: 'Not found.' }]);
        }
      expect(await readBooks(service, acme)).toEqual(before);
    },
  );

  it.each(['customers', 'projects'])(
    'has `if_match` where a single PATCH has the header If-Match: %s',
    async (path) => {
      const change = (description: string) => (path === 'customers' ? { city: description } : { description });
      const { id } = await create(acme, `/${path}`, path === 'customers' ? sample.customer : sample.project);
      const at = `/${path}/${id}`;
      const readTag = async (): Promise<string> => (await acme.rest('GET', at)).headers.get('etag') ?? '';
      const old = await readTag();
      await acme.rest('PATCH', at, change('first'));
      const now = (await acme.rest('GET', at)).body.data;
      const patch = (who: Integrator, items: object[], atomic = false) =>
        who.rest('PATCH', `/${path}/batch`, { items: items.map((item) => ({ id, ...item })), atomic });
      // Without `data`, which only what was written has.
      const conflict = { status: 412, message: 'This was changed meanwhile.' };

      for (const tag of [old, `W/${await readTag()}`, '"other"', '', 'x'])
        expect((await patch(acme, [{ ...change('lost'), if_match: tag }])).body.results).toEqual([conflict]);
      const together = await patch(acme, [change('lost'), { ...change('lost'), if_match: old }], true);
      const undone = { status: 424, message: 'Not written, because another item was refused.' };
      expect([together.status, together.body.results[0]]).toEqual([422, undone]);
      expect(together.body.errors).toEqual({ 'items.1.if_match': ['This was changed meanwhile.'] });
      expect(together.body.results[1]).toEqual(conflict);
      for (const wrong of [1, null, [old]]) {
        const { results } = (await patch(acme, [{ ...change('lost'), if_match: wrong }])).body;
        expect([results[0].status, Object.keys(results[0].errors)]).toEqual([422, ['if_match']]);
      }
      expect((await acme.rest('GET', at)).body.data).toEqual(now);

      const stranger = await patch(await service.integrator(), [{ ...change('lost'), if_match: old }]);
      expect(stranger.body.results).toEqual([{ status: 404, message: 'Not found.' }]);
      // With so many unknown fields, no rule looks for the row.
      const names = Array.from({ length: 200 }, (_, number) => [`unknown${number}`, 1]);
      const invalid = await patch(await service.integrator(), [Object.fromEntries(names) as object]);
      expect(invalid.body.results).toEqual([{ status: 404, message: 'Not found.' }]);

      const tag = await readTag();
      const several = await patch(acme, [
        { ...change('second'), if_match: tag },
        { ...change('third'), if_match: tag },
        { ...change('fourth'), if_match: '*' },
      ]);
      expect(several.body.results.map(({ status }: { status: number }) => status)).toEqual([200, 412, 200]);
      expect((await acme.rest('GET', at)).body.data).toMatchObject(change('fourth'));
    },
  );

  it('that creates knows no `if_match`', async () => {
    const { body } = await acme.rest('POST', '/customers/batch', { items: [{ ...sample.customer, if_match: '*' }] });
    expect([body.results[0].status, Object.keys(body.results[0].errors)]).toEqual([422, ['if_match']]);
  });

  it('is not taken for a resource, and a resource not for it', async () => {
    for (const [method, path] of batches) {
      const methods = batches.filter((each) => each[1] === path).map((each) => each[0]);
      for (const other of ['GET', 'HEAD', 'PUT', 'DELETE', 'POST', 'PATCH'].filter(
        (each) => !methods.includes(each as 'POST'),
      )) {
        const { status, headers } = await acme.rest(other, path);
        expect([method, other, status, headers.get('allow')]).toEqual([
          method,
          other,
          405,
          [...methods, 'OPTIONS'].join(', '),
        ]);
      }
    }
    refusal(await acme.rest('GET', '/customers/batched'), 404);
    refusal(await acme.rest('POST', '/customers/batch/issue'), 404);
    refusal(await acme.rest('POST', '/credit-notes/batch', { items: [{}] }), 405);
  });
});

describe('a batch is refused as a whole', () => {
  const body = sample.customer;

  it.each([
    [['items'], {}],
    [['items'], { items: [] }],
    [['items'], { items: null }],
    [['items'], { items: body }],
    [['items'], { items: Array.from({ length: 101 }, () => body) }],
    [['atomic'], { items: [body], atomic: 'yes' }],
    [['atomic'], { items: [body], atomic: null }],
    [['atomic', 'items', 'x'], { items: 1, atomic: 1, x: 1 }],
    [['__proto__'], `{"items":[{}],"__proto__":{"atomic":true}}`],
    [['body'], [body]],
    [['body'], '{'],
    [['body'], 'null'],
    [['body'], { items: [Array.from({ length: 20_002 }, () => 1)] }],
  ])('by 422 with %j', async (fields, sent) => {
    const before = await readBooks(service, acme);
    expect(invalidFields(await acme.rest('POST', '/customers/batch', sent))).toEqual(fields);
    expect(await readBooks(service, acme)).toEqual(before);
  });

  it('by its length, its type, and by parameters that are not known', async () => {
    const items = Array.from({ length: 100 }, () => ({ ...body, city: 'x'.repeat(11_000) }));
    refusal(await acme.rest('POST', '/customers/batch', { items }), 413);
    refusal(await acme.rest('POST', '/customers/batch', '{}', { 'content-type': 'text/plain' }), 415);
    const strict = { prefer: 'handling=strict' };
    expect(invalidFields(await acme.rest('POST', '/customers/batch?x=1', { items: [body] }, strict))).toEqual(['x']);
    const done = await acme.rest('POST', '/customers/batch', { items: [body] }, strict);
    expect([done.status, done.headers.get('preference-applied')]).toEqual([200, 'handling=strict']);
  });
});
