import type { Command } from 'commander';
import { importStatement, type ImportResult } from '../../../schema/bank-statements/import-statement.ts';
import { CodedError } from '../../../schema/errors/errors.ts';
import { RefusedError } from '../../identity/index.ts';
import { print, printJson, printError } from '../output.ts';
import { withDatabase } from '../database.ts';
import { asJson, type Json } from '../json-option.ts';
import { operatorContext } from '../operator.ts';
import { withProgress } from '../progress.ts';

export function addBankCommands(program: Command): void {
  const bank = program.command('bank').description('bank statements');
  asJson(bank.command('import').description('import CAMT.053 or MT940 statements: each file completely or not at all'))
    .argument('<file...>')
    .requiredOption('--tenant <id>')
    .action(async (files: string[], { tenant, json }: { tenant: string } & Json) => {
      const total = { imported: 0, skipped: 0, matched: 0 };
      await withDatabase(async (database) => {
        const context = await operatorContext(database, tenant);
        for (const file of files) {
          const { imported, skipped, matched, warnings } = await importFile(file, (report) =>
            importStatement(context, file, { report }),
          );
          for (const warning of warnings) printError(`${file}: ${warning}`);
          total.imported += imported;
          total.skipped += skipped;
          total.matched += matched;
        }
      });
      if (json) printJson(total);
      else print(`${total.imported} imported, ${total.skipped} skipped (imported before), ${total.matched} matched.`);
    });
}

async function importFile(
  file: string,
  read: (report: (bytes: number) => void) => Promise<ImportResult>,
): Promise<ImportResult> {
  try {
    return await withProgress(file, read);
  } catch (error) {
    if (error instanceof CodedError) throw new RefusedError(`${file}: ${error.message}`);
    throw error;
  }
}
