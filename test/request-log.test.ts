import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from './harness.ts';
import { create, customer } from './rest/samples.ts';

// The log's fields about a request, and which of them a client can choose.

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const given = '0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b';
const traceId = 'a'.repeat(32);
const traceparent = `00-${traceId}-${'b'.repeat(16)}-01`;

let behindProxy: Service;
let direct: Service;
let acme: Integrator;
let stranger: Integrator;

beforeAll(async () => {
  [behindProxy, direct] = await Promise.all([startService({ trustedProxies: 1 }), startService()]);
  [acme, stranger] = await Promise.all([behindProxy.integrator(), direct.integrator()]);
});
afterAll(() => Promise.all([behindProxy.close(), direct.close()]));

type Line = Record<string, unknown>;

/** The line of the request that `ask` makes. */
async function lineOf(service: Service, ask: () => Promise<unknown>): Promise<Line> {
  const lines = (): Line[] =>
    service.log.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === 'request');
  const before = lines().length;
  await ask();
  await expect.poll(() => lines().length).toBe(before + 1);
  return lines().at(-1) ?? {};
}

describe('the log has of a request', () => {
  it('tenant, token, client address, and the id and trace of a trusted proxy', async () => {
    const headers = { 'x-request-id': given, traceparent, 'x-forwarded-for': '198.51.100.9, 203.0.113.7' };
    const line = await lineOf(behindProxy, async () => {
      const { headers: answered } = await acme.rest('GET', '/me', undefined, headers);
      expect(answered.get('x-request-id')).toBe(given);
    });
    const { tenantId, tokenId } = acme;
    expect(line).toMatchObject({ requestId: given, tenantId, tokenId, address: '203.0.113.7', traceId });
  });

  it('no id, trace, or address that a client chose', async () => {
    const headers = { 'x-request-id': given, traceparent, 'x-forwarded-for': '203.0.113.7' };
    const line = await lineOf(direct, () => stranger.rest('GET', '/me', undefined, headers));
    expect(line).toMatchObject({ tenantId: stranger.tenantId, tokenId: stranger.tokenId, address: '127.0.0.1' });
    expect(line['requestId']).toMatch(uuid);
    expect(line['requestId']).not.toBe(given);
    expect(line).not.toHaveProperty('traceId');
  });

  it('no tenant where the token is not valid', async () => {
    const line = await lineOf(direct, () =>
      direct.request('GET', '/api/v1/me', { headers: { authorization: 'Bearer kontor_x' } }),
    );
    expect(line).toMatchObject({ status: 401, address: '127.0.0.1' });
    expect(line).not.toHaveProperty('tenantId');
  });
});

describe('the id of a trusted proxy', () => {
  it('may be 32 digits, as nginx makes them, and reaches the events', async () => {
    const { headers, body } = await acme.rest('POST', '/customers', customer, {
      'x-request-id': given.replaceAll('-', '').toUpperCase(),
    });
    expect(headers.get('x-request-id')).toBe(given);
    const event = await acme.db.event.findFirstOrThrow({ where: { resourceId: body.data.id } });
    expect(event.requestId).toBe(given);
  });

  it.each([['short'], ['x'.repeat(7000)], [`${given}, ${given}`], [`${given}'; drop`], ['']])(
    'is replaced where it is none: %.20s',
    async (id) => {
      const line = await lineOf(behindProxy, async () => {
        const { status } = await acme.rest('POST', '/customers', customer, { 'x-request-id': id });
        expect(status).toBe(201);
      });
      expect(line['requestId']).toMatch(uuid);
      expect(line['requestId']).not.toBe(given);
    },
  );

  it.each([`00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`, `${traceparent}, ${traceparent}`, 'x'.repeat(7000)])(
    'comes with no trace that is none: %.20s',
    async (header) => {
      const line = await lineOf(behindProxy, () => acme.rest('GET', '/me', undefined, { traceparent: header }));
      expect(line).not.toHaveProperty('traceId');
    },
  );
});

describe('a slow statement', () => {
  it('is logged by operation and route, without values', async () => {
    const service = await startService({ slowQueryMs: 150 });
    try {
      const own = await service.integrator();
      const { id } = await create(own, '/customers', customer);
      await service.pool.query(`
        create function wait_for_it() returns trigger language plpgsql as $$ begin perform pg_sleep(0.2); return new; end $$;
        create trigger wait before update on customers for each row execute function wait_for_it()`);
      const { headers } = await own.rest('PATCH', `/customers/${id}`, { company_name: 'Secret & Sons' });
      const slow = service.log.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === 'slow');
      const ofUpdate = slow.filter(({ operation }) => operation === 'updateCustomer');
      expect(ofUpdate).toContainEqual(
        expect.objectContaining({
          route: 'PATCH /api/v1/customers/:id',
          requestId: headers.get('x-request-id'),
          statement: expect.stringMatching(/^UPDATE "public"\."customers"/i),
        }),
      );
      expect(Math.max(...ofUpdate.map(({ ms }) => Number(ms)))).toBeGreaterThanOrEqual(200);
      expect(JSON.stringify(slow)).not.toMatch(/Secret/);
      expect(JSON.stringify(slow)).not.toContain(id);
    } finally {
      await service.close();
    }
  });

  it('has at most 500 characters, and no literal', async () => {
    const service = await startService({ slowQueryMs: 1 });
    try {
      await service.pool.query(`select pg_sleep(0.05), 'it''s a secret' as a, 4711.5 as b${', 1 as c'.repeat(500)}`);
      const lines = service.log.map((each) => JSON.parse(each) as Line);
      const line = lines.find(({ statement }) => String(statement).startsWith('select pg_sleep'));
      expect(line?.['statement']).toMatch(/^select pg_sleep\(…\), '…' as a, … as b, … as c/);
      expect(String(line?.['statement'])).toHaveLength(500);
    } finally {
      await service.close();
    }
  });
});

it("the line of an error that nobody expected has no values of the request's row", async () => {
  await direct.pool.query(`
    create function fail() returns trigger language plpgsql as $$ begin
      execute format('select 1 / 0 /* %s */', new.company_name); return new; end $$;
    create trigger fail before insert on customers for each row when (new.company_name = 'Erika') execute function fail()`);
  await stranger.rest('POST', '/customers', { type: 'customer', company_name: 'Erika' });
  const lines = direct.log.filter((line) => line.includes('"internal error"'));
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({ err: expect.objectContaining({ message: 'division by zero', code: '22012' }) as object }),
  ]);
  expect(lines.join()).not.toContain('Erika');
});
