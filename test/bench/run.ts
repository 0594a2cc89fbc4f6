import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { Bench, type ComparisonRow, type Work } from './bench.ts';
import { shutdownRequested } from '../../src/processes/signals.ts';
import { openDatabase } from './database.ts';
import { requireWrk } from './load.ts';
import { comparisons, details, machine, print, toCsv } from './table.ts';
import { works } from './works.ts';

interface Options {
  quick?: boolean;
  only?: string;
  json?: string;
  csv?: string;
}

if (process.argv.includes('--tenants')) {
  await (await import('./tenants/run.ts')).run();
  process.exit();
}

const options = new Command('bench')
  .description('Kontor beside what a team would otherwise build')
  .option('--quick', 'leave out what needs 1,000,000 rows or a minute')
  .option('--only <pattern>', 'only works whose name matches, in any case')
  .option('--json <file>', 'the rows that have a goal, and all figures, for scripts')
  .option('--csv <folder>', 'both tables as files: test/bench/results')
  .parse()
  .opts<Options>();

const chosen = works
  .filter(({ large, long }) => !(options.quick && (large || long)))
  .filter(({ name }) => new RegExp(options.only ?? '', 'i').test(name));
const sizes = chosen.some(({ large }) => large) ? [1000, 100_000, 1_000_000] : [1000, 100_000];
const pace = options.quick
  ? { rounds: 1, seconds: 2, crowdedSeconds: 2, warmUpSeconds: 5, firstWarmUpSeconds: 20 }
  : { rounds: 3, seconds: 4, crowdedSeconds: 2, warmUpSeconds: 10, firstWarmUpSeconds: 40 };

const [busy = 0] = loadavg();
if (busy > cpus().length / 4)
  process.stderr.write(`Others are at work here (load ${busy.toFixed(1)}): expect noise.\n`);
try {
  await requireWrk();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
// Before the measuring, which takes long.
if (options.csv) mkdirSync(options.csv, { recursive: true });
if (options.json) mkdirSync(dirname(options.json), { recursive: true });
const database = await openDatabase(sizes);
const bench = new Bench(database, pace, (line) => process.stderr.write(`\r\x1b[K${line}`));
try {
  const stopped = shutdownRequested().then(() => Promise.reject(new Error('Stopped.')));
  const rows = await Promise.race([runAll(chosen), stopped]);
  const about = await machine(database.pool);
  process.stdout.write(`${about}\n`);
  print(comparisons(rows));
  if (bench.figures.length > 0) print(details(bench.figures));
  if (options.csv) {
    writeFileSync(join(options.csv, 'ratios.csv'), toCsv(comparisons(rows)));
    writeFileSync(join(options.csv, 'figures.csv'), toCsv(details(bench.figures)));
  }
  if (options.json) {
    const rated = rows.filter(({ goal }) => goal !== undefined);
    const plain = rated.map(({ work, against, ratio, goal, atMost }) => ({ work, against, ratio, goal, atMost }));
    writeFileSync(
      options.json,
      `${JSON.stringify({ machine: about, rows: plain, figures: bench.figures }, null, 2)}\n`,
    );
  }
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await bench.close();
  await database.close();
}
process.exit(); // what was stopped may still wait for something

async function runAll(all: Work[]): Promise<ComparisonRow[]> {
  const rows: ComparisonRow[] = [];
  for (const work of all) rows.push(...(await work.run(bench)));
  process.stderr.write('\r\x1b[K');
  return rows;
}
