import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Pool } from 'pg';
import { connect, openBooks, withHolder } from '../../prisma/client.ts';
import { importStatement } from '../../schema/bank-statements/import-statement.ts';
import { createDomain } from '../../src/domain.ts';
import { createTenant } from '../../src/identity/index.ts';
import { createFolderStorage } from '../../src/storage/folder-storage.ts';
import { createWebhooks } from '../../src/webhooks/webhooks.ts';
import { camt, entry, many } from './statement.ts';

// Imports a large statement that it makes as it goes, and tells what that took. Run as a process of its own, with
// --expose-gc: `node --expose-gc large-import.ts postgresql://… 20000`.

const [url = '', count = '20000'] = process.argv.slice(2);
const entries = Number(count);
const pool = new Pool({ connectionString: url });
const client = connect(pool);
const books = openBooks({ connectionString: url });
const domain = createDomain(
  { client, books },
  createWebhooks({ secret: 'the secret of the tests, long enough', allowInsecure: true }),
  { url: '' },
  createFolderStorage(join(tmpdir(), 'kontor-no-files')),
);
const tenant = await client.tenant.findUniqueOrThrow({
  where: { id: (await createTenant(client, { name: 'Acme' })).id },
});
const context = domain.contextFor({
  user: { id: tenant.id, name: '', email: '' },
  tenant: withHolder(tenant),
  token: null,
});

const used = (): number => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
};

/** Unlike the peak, it doesn't depend on how much of a batch was in memory when a sample was taken. */
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

async function* statement(name: string, size: number): AsyncGenerator<Uint8Array> {
  const [head = '', foot = ''] = camt([]).split(/(?=<\/Stmt>)/);
  yield Buffer.from(head);
  const reference = many(1)[0]?.reference ?? '';
  for (let at = 0; at < size; at += 100) {
    let part = '';
    for (let each = at; each < at + 100; each += 1)
      part += entry({ amount: '1.50', id: `${name}${each}`, reference: `${each} ${reference.repeat(8)}` });
    yield Buffer.from(part);
  }
  yield Buffer.from(foot);
}

const folder = await mkdtemp(join(tmpdir(), 'kontor-test-'));
const fileOf = async (name: string, size: number): Promise<string> => {
  const file = join(folder, `${name}.xml`);
  await pipeline(statement(name, size), createWriteStream(file));
  return file;
};
// The first import loads and compiles code. How much memory that takes differs from run to run.
await importStatement(context, await fileOf('first', 3000), {});
const file = await fileOf('second', entries);
const before = used();
const samples: number[] = [];
const watch = setInterval(() => samples.push(used() - before), 250);
const start = performance.now();
const { imported } = await importStatement(context, file, {});
const seconds = (performance.now() - start) / 1000;
clearInterval(watch);
const again = await importStatement(context, file, {});
const secondsAgain = (performance.now() - start) / 1000 - seconds;
await rm(folder, { recursive: true });
process.stdout.write(
  JSON.stringify({
    imported,
    seconds,
    skipped: again.skipped,
    secondsAgain,
    grownBy: median(samples.slice(-Math.ceil(samples.length / 3))),
    cpu: process.cpuUsage(),
  }),
);
await books.close();
await client.$disconnect();
await pool.end();
