import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { shutdownRequested } from '../../../src/processes/signals.ts';
import { requireWrk } from '../load.ts';
import { machine } from '../table.ts';
import { backupAndRestore } from './backup.ts';
import { innocentCallers } from './callers.ts';
import { checkConsistency } from './consistency.ts';
import { fairFanOut } from './fan-out.ts';
import { indexUse } from './indexes.ts';
import { defaultFolder, openInstallation, type Installation } from './installation.ts';
import { jobsBesideCallers } from './jobs.ts';
import { readEverything } from './lists.ts';
import { mixedLoad } from './mixed-load.ts';
import { startServer, startWorker } from './processes.ts';
import { figure, toMarkdown, type ReportRow } from './report.ts';

interface Options {
  scale: number;
  seconds: number;
  readers: number;
  folder: string;
  keep?: boolean;
  backup?: boolean;
  json?: string;
}

/** Makes ten thousand tenants, and measures what many tenants and much data do to each other. */
export async function run(): Promise<void> {
  const options = new Command('bench')
    .description('an installation with 10,000 tenants and 3,000,000 invoices')
    .requiredOption('--tenants')
    .option('--scale <number>', 'a part of it: 0.01 for 100 tenants', Number, 1)
    .option('--seconds <number>', 'how long a load is measured', Number, 15)
    .option('--readers <number>', 'as how many tenants everything is read: 1 for the largest only', Number, 2)
    .option('--folder <folder>', 'where the database is', defaultFolder)
    .option('--keep', 'keep the database, and use one that was kept')
    .option('--backup', 'also make a backup, and restore it')
    .option('--json <file>', 'the rows of the table, for scripts')
    .parse()
    .opts<Options>();
  await requireWrk();
  const installation = await openInstallation({ ...options, keep: options.keep ?? false }, report);
  try {
    const stopped = shutdownRequested().then(() => Promise.reject(new Error('Stopped.')));
    const rows = await Promise.race([measure(installation, options), stopped]);
    process.stdout.write(`${await machine(installation.pool)}\n\n${toMarkdown(rows)}`);
    if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(rows));
  } catch (error) {
    process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  } finally {
    await installation.close();
  }
}

const begun = performance.now();
const report = (line: string): void =>
  void process.stderr.write(`${((performance.now() - begun) / 1000).toFixed(0).padStart(5)} s  ${line}\n`);

async function measure(installation: Installation, { scale, seconds, readers, backup }: Options): Promise<ReportRow[]> {
  const rows: ReportRow[] = [];
  const add = (...added: ReportRow[]): void => {
    rows.push(...added);
    for (const { work } of added) report(work);
  };
  if (installation.seconds !== null)
    add({
      work: 'made',
      figures: [figure('tenants', installation.tenants.length), figure('seconds', installation.seconds)],
    });
  add(await checkConsistency(installation));
  await installation.pool.query('select pg_stat_reset()');
  await installation.pool.query('checkpoint'); // making it left rows to be written to the disk

  const server = await startServer(installation);
  try {
    add({ work: 'kontor serve, until it is ready', figures: [figure('seconds', server.seconds)] });
    add(...(await mixedLoad(installation, server, seconds)));
    const worker = await startWorker(installation);
    try {
      const callers = await innocentCallers(installation, server);
      add(...(await jobsBesideCallers(installation, { server, worker, callers, seconds })));
    } finally {
      await worker.stop();
    }
    add(await fairFanOut(installation, server, Math.round(100_000 * scale), seconds));
    add(await readEverything(installation, server, readers));
    add(...(await indexUse(installation, report)));
  } finally {
    await server.stop();
  }
  if (backup) add(...(await backupAndRestore(installation, report)));
  add({ work: 'all of this', figures: [figure('seconds', performance.now() / 1000)] });
  return rows;
}
