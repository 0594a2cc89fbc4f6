import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { noWrk } from '../wrk-installed.ts';
import type { ReportRow } from './report.ts';

const run = promisify(execFile);

/** It makes an installation, restarts it, and runs each of its jobs. Nothing of that may take a certain time here. */
const timeout = 300_000;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kontor-tenants-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it.skipIf(noWrk)(
  'the benchmark of many tenants measures each row of its table',
  async () => {
    const json = join(folder, 'rows.json');
    const bench = join(import.meta.dirname, '../run.ts');
    const options = [
      '--scale',
      '0.002',
      '--seconds',
      '1',
      '--readers',
      '1',
      '--folder',
      join(folder, 'data'),
      '--json',
      json,
    ];
    const { stdout } = await run(process.execPath, [bench, '--tenants', ...options]);
    const rows = JSON.parse(await readFile(json, 'utf8')) as ReportRow[];
    const lines = stdout.split('\n').filter((line) => line.startsWith('| '));
    expect(lines).toHaveLength(rows.length + 1);
    const unmeasured = rows.filter(({ figures }) => figures.some(({ value }) => !Number.isFinite(value)));
    expect(unmeasured).toEqual([]);
    expect(rows.map(({ work }) => work)).toEqual([
      'made',
      'consistency checked',
      'kontor serve, until it is ready',
      'mixed load, small tenants',
      'mixed load, medium tenants',
      'mixed load, large tenants',
      'mixed load, together',
      'job overdue',
      'job clean_up',
      'job clean_up_responses',
      'job prove_documents',
      'change feed of the largest tenant, a page of 1,000 each second',
      'an event, while 200 of another tenant wait',
      'each list by each filter and in each order',
      'size',
      'autovacuum during all of this',
      'indexes that nothing has read',
      'all of this',
    ]);
  },
  timeout,
);
