import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConnectionError, KontorError, ServerError, TimeoutError, type Kontor, type KontorOptions } from '@kontor/sdk';
import { connect } from './environment.js';
import { startProxy, type Fault } from './proxy.js';

const direct = connect();

type Proxy = Awaited<ReturnType<typeof startProxy>>;

/** Runs a test behind a proxy with these faults. */
async function behind(
  faults: Fault[],
  test: (kontor: Kontor, proxy: Proxy) => Promise<void>,
  options: Partial<KontorOptions> = {},
): Promise<void> {
  const proxy = await startProxy(faults);
  try {
    await test(connect({ baseUrl: proxy.url, ...options }), proxy);
  } finally {
    proxy.close();
  }
}

const named = async (name: string): Promise<number> => (await direct.customers.list({ q: name })).meta.total;

describe('a POST', () => {
  for (const [what, fault] of Object.entries<Fault>({
    'the connection breaks before the service has the request': 'refuse',
    'the connection breaks after the service has done the work': 'cut',
    'a proxy answers 502': { status: 502 },
    'a proxy answers 500': { status: 500 },
    'the rate limit is reached': { status: 429, headers: { 'Retry-After': '1' } },
  }))
    it(`creates once, if ${what}`, () =>
      behind([fault], async (kontor, proxy) => {
        const name = `Once ${proxy.url}`;
        const created = await kontor.customers.create({ type: 'customer', company_name: name });
        assert.equal(created.company_name, name);
        assert.equal(await named(name), 1);
        assert.equal(proxy.requests.length, 2);
        assert.match(proxy.requests[0]?.key ?? '', /^[\da-f]{32}$/);
        assert.equal(proxy.requests[1]?.key, proxy.requests[0]?.key);
      }));

  it('creates once for a key of the caller, also in two calls', () =>
    behind([], async (kontor, proxy) => {
      const create = () =>
        kontor.customers.create({ type: 'customer', company_name: 'Order' }, { idempotencyKey: proxy.url });
      assert.deepEqual(await create(), await create());
      assert.equal(await named('Order'), 1);
    }));

  it('has a new key for each call', () =>
    behind([], async (kontor, proxy) => {
      await kontor.customers.create({ type: 'customer', company_name: 'Twin' });
      await kontor.customers.create({ type: 'customer', company_name: 'Twin' });
      assert.notEqual(proxy.requests[0]?.key, proxy.requests[1]?.key);
      assert.equal(await named('Twin'), 2);
    }));
});

describe('a PATCH', () => {
  it('is sent again after a refusal', () =>
    behind([{ status: 429, headers: { 'Retry-After': '0' } }], async (kontor, { requests }) => {
      const { id } = await direct.customers.create({ type: 'customer', company_name: 'Patch' });
      assert.equal((await kontor.customers.update(id, { city: 'Kiel' })).city, 'Kiel');
      assert.equal(requests.length, 2);
    }));

  it('is not sent again if it may have been executed', () =>
    behind(['cut', 'refuse', { status: 500 }, { status: 503 }], async (kontor, { requests }) => {
      const { id } = await direct.customers.create({ type: 'customer', company_name: 'Patch' });
      await assert.rejects(kontor.customers.update(id, { city: 'Kiel' }), ConnectionError);
      await assert.rejects(kontor.customers.update(id, { city: 'Kiel' }), ConnectionError);
      await assert.rejects(kontor.customers.update(id, { city: 'Kiel' }), ServerError);
      await assert.rejects(kontor.customers.update(id, { city: 'Kiel' }), ServerError);
      assert.equal(requests.length, 4);
    }));
});

describe('a DELETE', () => {
  it('succeeds, if only its answer was lost', () =>
    behind(['cut'], async (kontor) => {
      const { id } = await direct.customers.create({ type: 'customer', company_name: 'Delete' });
      await kontor.customers.delete(id);
      await assert.rejects(direct.customers.get(id), { status: 404 });
    }));

  it('fails for an unknown id, also after a refusal', () =>
    behind(['pass', { status: 429, headers: { 'Retry-After': '0' } }], async (kontor) => {
      const id = '019d3c5e-6b0a-7c41-9d53-0f6e3b1f4a10';
      await assert.rejects(kontor.customers.delete(id), { status: 404 });
      await assert.rejects(kontor.customers.delete(id), { status: 404 });
    }));
});

describe('attempts', () => {
  it('end after maxRetries', () =>
    behind(
      ['cut', 'cut', 'cut', 'cut'],
      async (kontor, { requests }) => {
        await assert.rejects(kontor.me(), ConnectionError);
        assert.equal(requests.length, 2);
        await assert.rejects(kontor.me({ maxRetries: 0 }), ConnectionError);
        assert.equal(requests.length, 3);
      },
      { maxRetries: 1 },
    ));

  it('fail with a TimeoutError without an answer in time', () =>
    behind(
      ['stall'],
      async (kontor) => {
        const error = await kontor.me({ maxRetries: 0 }).catch((reason: unknown) => reason);
        assert.ok(error instanceof TimeoutError && error instanceof ConnectionError && error instanceof KontorError);
        assert.equal((await kontor.me()).tenant.name, 'Acme');
      },
      { timeout: 2000 },
    ));

  it('end at once when the caller aborts, with the reason of the caller', () =>
    behind(['stall', { status: 429, headers: { 'Retry-After': '60' } }], async (kontor, { requests }) => {
      const reason = new Error('The window was closed');
      const stalled = new AbortController();
      const request = kontor.me({ signal: stalled.signal });
      setTimeout(() => stalled.abort(reason), 50);
      await assert.rejects(request, reason);

      const waiting = new AbortController();
      const limited = kontor.me({ signal: waiting.signal });
      setTimeout(() => waiting.abort(reason), 50);
      await assert.rejects(limited, reason);

      await assert.rejects(kontor.me({ signal: AbortSignal.abort(reason) }), reason);
      assert.equal(requests.length, 2);
    }));

  it('do not follow redirects, which would turn a POST into a GET', () =>
    behind([{ status: 302, headers: { Location: 'http://127.0.0.1:1/' } }], async (kontor) => {
      await assert.rejects(kontor.customers.create({ type: 'customer', company_name: 'x' }), { status: 302 });
    }));

  it('have the options of the client where those of the request are undefined', () =>
    behind(
      ['refuse', 'refuse'],
      async (kontor, { requests }) => {
        await assert.rejects(kontor.me({ maxRetries: undefined, timeout: undefined }), ConnectionError);
        assert.equal(requests.length, 1);
      },
      { maxRetries: 0 },
    ));

  it('are not made to an address that is none', () => {
    for (const address of ['', 'kontor.example']) assert.throws(() => connect({ baseUrl: address }), TypeError);
  });

  it('to a machine that does not answer fail with a ConnectionError that has the cause', async () => {
    const error = await connect({ baseUrl: 'http://127.0.0.1:1', maxRetries: 0 })
      .me()
      .catch((reason: unknown) => reason);
    assert.ok(error instanceof ConnectionError);
    assert.equal(error.status, undefined);
    assert.ok(error.cause instanceof Error);
  });
});
