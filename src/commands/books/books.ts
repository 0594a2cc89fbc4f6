import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { Command } from 'commander';
import { exportBooks, sumCounts, type RecordCounts } from '../../../schema/tenant-archive/export-archive.ts';
import { recordTypes } from '../../../schema/tenant-archive/format.ts';
import { importBooks } from '../../../schema/tenant-archive/restore-archive.ts';
import { LineErrors } from '../../../schema/tenant-archive/lines.ts';
import type { Context } from '../../../schema/graphql/context.ts';
import { ValidationError } from '../../../schema/errors/errors.ts';
import { RefusedError } from '../../identity/index.ts';
import { readExpected, withExpected, type Expected } from './anchors.ts';
import { print, printError, printJson, printRow } from '../output.ts';
import { makeWholeFile } from '../../backup/whole-file.ts';
import { removeWhenInterrupted } from '../when-interrupted.ts';
import { analyze } from '../../database/analyze.ts';
import { withDatabase } from '../database.ts';
import { asJson, type Json } from '../json-option.ts';
import { operatorContext, operatorDomain } from '../operator.ts';
import { withProgress } from '../progress.ts';

export function addBooksCommands(program: Command): void {
  asJson(program.command('export').description("write all of a tenant's books to a file, as JSON Lines"))
    .requiredOption('--tenant <id>')
    .requiredOption('--out <file>', 'the file to write; there must be none')
    .action(async ({ tenant, out, json }: { tenant: string; out: string } & Json) => {
      const records = await withDatabase(async (database) => {
        const context = await operatorContext(database, tenant);
        await warnOfUnproven(context);
        return makeWholeFile(out, (draft) => writeBooks(context, draft), removeWhenInterrupted);
      });
      if (json) printJson({ file: out, records });
      else print(`${sumCounts(records)} records were written to ${out}`);
    });

  withExpected(asJson(program.command('import').description('read the file of an export into a tenant without books')))
    .argument('<file>')
    .requiredOption('--tenant <id>')
    .option('--dry-run', 'check everything and write nothing')
    .option('--accept-unproven', 'accept issued documents without a proof')
    .action(async (file: string, { tenant, dryRun = false, acceptUnproven, json, ...noted }: ImportOptions) => {
      const { records, notes } = await withDatabase(async (database) => {
        const { context, domain } = await operatorDomain(database, tenant);
        const expected = await readExpected(noted, database);
        const read = (report: (bytes: number) => void) =>
          importBooks(context, domain.schema, file, { dryRun, acceptUnproven, expected, report });
        const result = await withProgress(file, read, 2).catch((error: unknown) => refuseFile(file, error));
        if (!dryRun) {
          const models = recordTypes.map(({ model }) => model);
          await analyze(database, tenant, models).catch((error: unknown) =>
            printError(`PostgreSQL has no statistics of these books yet: ${String(error)}`),
          );
        }
        return result;
      });
      for (const note of notes) printError(note);
      if (json) return printJson({ file, dryRun, records, notes });
      printCounts(records);
      print(dryRun ? `${file} can be imported. Nothing was written.` : `${sumCounts(records)} records were imported.`);
    });
}

interface ImportOptions extends Json, Expected {
  tenant: string;
  dryRun?: boolean;
  acceptUnproven?: boolean;
}

/** A worker proves what was issued some seconds before. */
async function warnOfUnproven({ db }: Context): Promise<void> {
  const count = (await db.unprovenDocument.count()) + (await db.unprovenReceipt.count());
  if (count > 0) printError(`${count} issued documents have no proof yet. An import needs --accept-unproven for them.`);
}

async function writeBooks(context: Context, file: string): Promise<RecordCounts> {
  const out = createWriteStream(file, { flags: 'r+', flush: true });
  const done = finished(out);
  done.catch(() => {}); // awaited below, unless another error comes first
  try {
    const records = await exportBooks(context, async (lines) => {
      if (!out.write(lines)) await Promise.race([once(out, 'drain'), done]);
    });
    out.end();
    await done;
    return records;
  } finally {
    out.destroy();
  }
}

function refuseFile(file: string, error: unknown): never {
  if (error instanceof LineErrors) {
    for (const { line, message } of error.errors) printError(`${file}:${line}: ${message}`);
    throw new RefusedError(`${file} has errors. Nothing was written`);
  }
  if (error instanceof ValidationError) throw new RefusedError(Object.values(error.errors).flat().join(' '));
  throw error;
}

function printCounts(records: RecordCounts): void {
  for (const [type, count] of Object.entries(records)) printRow(type, String(count));
}
