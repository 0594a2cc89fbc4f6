import type { Command } from 'commander';
import { verifyDocuments } from '../../schema/resources/document/verify.ts';
import { RefusedError } from '../identity/index.ts';
import { print, printJson } from './output.ts';
import { asJson, withDatabase, type Json } from './database.ts';
import { operatorContext } from './operator.ts';

export function addVerifyCommand(program: Command): void {
  asJson(
    program
      .command('verify')
      .description("check that nobody has changed the files of a tenant's invoices and credit notes"),
  )
    .requiredOption('--tenant <id>')
    .action(async ({ tenant, json }: { tenant: string } & Json) => {
      const found = await withDatabase(async (database) => verifyDocuments(await operatorContext(database, tenant)));
      const { documents, files, unproven, hash, difference } = found;
      if (json) printJson(found);
      else {
        print(`Documents that agree with their proofs: ${documents}, with ${files} files`);
        print(`Issued documents without a proof yet: ${unproven}`);
        if (hash !== null) print(`The last proof: ${hash}`);
      }
      if (difference !== null) throw new RefusedError(difference);
    });
}
