import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ForbiddenError, ValidationError, type BulkResult, type CreateCustomerInput, type Kontor } from '@kontor/sdk';
import { connect } from './environment.js';
import { startProxy, type Fault } from './proxy.js';

const kontor = connect();

const lines = 300;
/** So long that the lines are several chunks. */
const filler = 'x'.repeat(200);
const customer = (name: string): CreateCustomerInput => ({
  type: 'customer',
  company_name: name,
  address_line1: filler,
  city: filler,
});

/** Every tenth line is refused. */
async function* generate(name: string): AsyncGenerator<CreateCustomerInput> {
  for (let at = 1; at <= lines; at += 1) {
    if (at % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    yield customer(at % 10 === 0 ? '' : `${name} ${at}`);
  }
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** Runs a test behind a proxy with these faults. */
async function behind(faults: Fault[], test: (kontor: Kontor, proxy: Proxy) => Promise<void>): Promise<void> {
  const proxy = await startProxy(faults);
  try {
    await test(connect({ baseUrl: proxy.url }), proxy);
  } finally {
    proxy.close();
  }
}
type Proxy = Awaited<ReturnType<typeof startProxy>>;

const countNamed = async (name: string): Promise<number> => (await kontor.customers.list({ q: name })).meta.total;

function expectResults(results: BulkResult[]): void {
  assert.deepEqual(
    results.map(({ line, status }) => [line, status]),
    Array.from({ length: lines }, (_, at) => [at + 1, (at + 1) % 10 === 0 ? 422 : 201]),
  );
}

describe('bulkOperations.run()', () => {
  it('sends what a generator yields, and yields a result for each line, in order', async () => {
    const seen: number[] = [];
    const run = kontor.bulkOperations.run('customers', 'create', generate('Streamed'), {
      onProgress: ({ processed_lines: processed }) => seen.push(processed),
    });
    const results = await all(run);
    expectResults(results);
    const operation = await run;
    assert.deepEqual(
      [operation.status, operation.lines, operation.succeeded_lines, operation.failed_lines],
      ['completed', lines, lines - 30, 30],
    );
    assert.equal(seen.at(-1), lines);
    assert.equal(await countNamed('Streamed'), lines - 30);
    const refused = results.find(({ status }) => status === 422);
    assert.equal(refused?.details?.[0]?.field, 'company_name');
    const [first] = results;
    assert.equal((await kontor.customers.get(first?.id ?? '')).company_name, 'Streamed 1');
  });

  it('yields only what failed, if asked so', async () => {
    const results = await all(kontor.bulkOperations.run('customers', 'create', generate('Failed'), { failed: true }));
    assert.deepEqual(
      results.map(({ line }) => line),
      Array.from({ length: 30 }, (_, at) => (at + 1) * 10),
    );
  });

  it('starts by its own, and another program waits for it', async () => {
    const started = await kontor.bulkOperations.run('customers', 'create', [customer('Begun')]).started();
    const ended = await kontor.bulkOperations.wait(started.id);
    assert.deepEqual([ended.id, ended.status, ended.succeeded_lines], [started.id, 'completed', 1]);
    assert.equal((await all(kontor.bulkOperations.results(started.id))).length, 1);
  });

  const faults: [name: string, what: string, Fault[]][] = [
    ['Refused', 'breaks before the service has the file', ['refuse']],
    ['Cut', 'breaks after the service has started it', ['cut']],
    ['Twice', 'breaks twice', ['refuse', 'cut']],
    ['Limited', 'is refused for a moment', [{ status: 429, headers: { 'Retry-After': '1' } }]],
  ];
  for (const [name, what, given] of faults)
    it(`runs once if the connection ${what}: a generator’s values are kept`, () =>
      behind([...given], async (behindProxy, { requests }) => {
        expectResults(await all(behindProxy.bulkOperations.run('customers', 'create', generate(name))));
        assert.equal(await countNamed(name), lines - 30);
        assert.equal(new Set(requests.slice(0, given.length + 1).map(({ key }) => key)).size, 1);
      }));

  it('calls a function for each attempt', () =>
    behind(['refuse', 'cut'], async (behindProxy) => {
      let calls = 0;
      const run = behindProxy.bulkOperations.run('customers', 'create', () => {
        calls += 1;
        return generate('Called');
      });
      expectResults(await all(run));
      assert.equal(calls, 3);
      assert.equal(await countNamed('Called'), lines - 30);
    }));

  it('runs once for a key of the caller, also in two calls', async () => {
    const run = () =>
      kontor.bulkOperations.run('customers', 'create', [customer('Keyed')], { idempotencyKey: 'a key of ours' });
    const [first, second] = [await run(), await run()];
    assert.equal(first.id, second.id);
    assert.equal(await countNamed('Keyed'), 1);
  });

  it('throws what the caller’s generator throws, and starts nothing', async () => {
    const before = (await kontor.bulkOperations.list()).meta.total;
    async function* broken(): AsyncGenerator<CreateCustomerInput> {
      yield* generate('Broken');
      throw new RangeError('The file is broken');
    }
    await assert.rejects(async () => kontor.bulkOperations.run('customers', 'create', broken()), RangeError);
    assert.equal((await kontor.bulkOperations.list()).meta.total, before);
    assert.equal(await countNamed('Broken'), 0);
  });

  it('is typed by resource and action', async () => {
    const { bulkOperations } = kontor;
    // @ts-expect-error Invoices are not updated in bulk.
    await assert.rejects(async () => bulkOperations.run('invoices', 'update', []), ValidationError);
    // @ts-expect-error An update needs an id.
    const noId: Parameters<typeof bulkOperations.run<'customers', 'update'>>[2] = [{ company_name: 'No id' }];
    assert.equal((await bulkOperations.run('customers', 'update', noId)).failed_lines, 1);
  });

  it('throws errors of the service', async () => {
    const reading = connect({ token: process.env['READING_TOKEN'] ?? '' });
    await assert.rejects(
      async () => reading.bulkOperations.run('customers', 'create', [customer('Forbidden')]),
      ForbiddenError,
    );
  });
});

describe('bulkOperations.results()', () => {
  it('continues after a response that broke off, and repeats nothing', async () => {
    const { id } = await kontor.bulkOperations.run('customers', 'create', generate('Half'));
    await behind(['half', 'half', 'refuse'], async (behindProxy, { requests }) => {
      expectResults(await all(behindProxy.bulkOperations.results(id)));
      assert.equal(requests.length, 4);
    });
  });

  it('ends, and closes its connection, when its reader has enough, throws, or aborts', async () => {
    const { id } = await kontor.bulkOperations.run('customers', 'create', generate('Enough'));
    await behind(['open', 'open'], async (behindProxy, { requests }) => {
      const closed = async (): Promise<void> => {
        while (!requests.every(({ isClosed }) => isClosed)) await new Promise((resolve) => setTimeout(resolve, 5));
      };
      for await (const { line } of behindProxy.bulkOperations.results(id)) {
        assert.deepEqual([line, requests.map(({ isClosed }) => isClosed)], [1, [false]]);
        break;
      }
      await closed();
      await assert.rejects(async () => {
        for await (const _ of behindProxy.bulkOperations.results(id)) throw new RangeError('Enough');
      }, RangeError);
      await closed();
      assert.equal(requests.length, 2);
    });
    const controller = new AbortController();
    await assert.rejects(async () => {
      for await (const _ of kontor.bulkOperations.results(id, {}, { signal: controller.signal })) controller.abort();
    }, /abort/i);
  });
});
