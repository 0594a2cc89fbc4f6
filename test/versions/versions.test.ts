import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Client } from 'pg';
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { delegateName, forTenant, tenantModels, type Prisma } from '../../prisma/client.ts';
import { getTable } from '../../prisma/tables.ts';
import { onCluster } from '../citus/cluster.ts';
import { createDatabase, startService, type Database } from '../harness.ts';
import { live } from './life.ts';
import { decode, read, startRecording, write, type Asked } from './recording.ts';

// While a new version migrates, processes of the version before go on. So all that those asked is asked again here, of
// today's tables: each statement as it was sent, rows without the columns that came later among them. CONTRIBUTING.md says
// how a version's are recorded.

// Recordings begin with 1.0.0, the first release.
const recorded = new URL('recorded/', import.meta.url);
const versions = existsSync(recorded) ? readdirSync(recorded) : [];

const recordsOneServer = onCluster('recorded connections have their tenant for the whole session');

it.skipIf(recordsOneServer).each(versions)('today’s tables answer the statements of version %s', async (file) => {
  const database = await createDatabase();
  onTestFinished(database.drop);
  const asked = read(readFileSync(new URL(file, recorded), 'utf8'));
  expect(await differing(database, asked)).toEqual([]);
  await expectWhole(database, asked);
});

describe.skipIf(recordsOneServer)('this version’s statements', () => {
  let asked: Asked[];
  let database: Database;
  beforeAll(async () => {
    asked = await record();
  });
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(() => database.drop());

  it('can be recorded and repeated', async () => {
    expect(await differing(database, asked)).toEqual([]);
    await expectWhole(database, asked);
    const { RECORD: name } = process.env;
    if (!name) return;
    mkdirSync(recorded, { recursive: true });
    writeFileSync(new URL(`${name}.jsonl`, recorded), write(asked));
  });

  it('are found that the tables no longer answer as then', async () => {
    const connection = await connected(database.url);
    await connection.query('alter table customers rename column phone to telephone');
    await connection.end();
    const different = await differing(database, read(write(asked)));
    expect(different).toContainEqual(expect.objectContaining({ answer: expect.stringContaining('phone') }));
  });
});

async function record(): Promise<Asked[]> {
  const database = await createDatabase();
  const recording = startRecording();
  const service = await startService({ database });
  await live(service);
  await service.close(); // and with it what is noted aside
  recording.end();
  await database.drop();
  return recording.asked;
}

/** Asks all of it once more. @returns what was not answered as then, by as many rows of the same columns */
async function differing({ url }: Database, asked: Asked[]): Promise<object[]> {
  const connections: Client[] = [];
  const different: object[] = [];
  for (const { on, sql, values, rows, columns } of asked) {
    while (connections.length <= on) connections.push(await connected(url));
    const connection = connections[on]!;
    const { processID } = connection as Client & { processID: number };
    const answer = await connection
      .query(
        sql,
        values.map((value) => decode(value, processID)),
      )
      .then(
        ({ rowCount, fields }) => ({ rows: rowCount, columns: fields.map((field) => field.name) }),
        (error: Error) => error.message,
      );
    if (JSON.stringify(answer) !== JSON.stringify({ rows, columns })) different.push({ sql, values, rows, answer });
  }
  for (const connection of connections) await connection.end();
  return different;
}

async function connected(url: string): Promise<Client> {
  const connection = new Client({ connectionString: url });
  await connection.connect();
  return connection;
}

/** That this version reads what that one wrote to each of its tables, and its totals counted it. */
async function expectWhole(database: Database, asked: Asked[]): Promise<void> {
  const isKnown = (model: Prisma.ModelName): boolean => {
    const name = new RegExp(`\\b${getTable(model).table}\\b`);
    // Only triggers write row counts.
    return model === 'RowCount' || asked.some(({ sql }) => name.test(sql));
  };
  const service = await startService({ database });
  const { rows } = await service.pool.query<{ id: string }>('select id from tenants order by id limit 1');
  const db = forTenant(service.books, rows[0]?.id ?? '') as unknown as Record<string, Table>;
  const found: Record<string, number> = {};
  for (const model of [...tenantModels].filter(isKnown)) {
    const table = db[delegateName(model)]!;
    found[model] = (await table.findMany()).length;
    expect([model, await table.count()]).toEqual([model, found[model]]);
  }
  await service.close();
  expect(Object.keys(found).length).toBeGreaterThanOrEqual(15);
  expect(Object.entries(found).filter(([, count]) => count === 0)).toEqual([]);
}

interface Table {
  findMany(): Promise<object[]>;
  count(): Promise<number>;
}
