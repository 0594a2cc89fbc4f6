import type { Command } from 'commander';
import type { Difference } from '../../../schema/resources/difference.ts';
import { verifyBooks } from '../../../schema/verification/verify-books.ts';
import { RefusedError } from '../../identity/index.ts';
import { readExpected, withExpected, type Expected } from './anchors.ts';
import { print, toJson, write } from '../output.ts';
import { withDatabase } from '../database.ts';
import { asJson, type Json } from '../json-option.ts';
import { operatorContext } from '../operator.ts';

export function addVerifyCommand(program: Command): void {
  withExpected(
    asJson(program.command('verify').description("check that nobody has changed a tenant's books past the service")),
  )
    .requiredOption('--tenant <id>')
    .action(async ({ tenant, json, ...options }: { tenant: string } & Json & Expected) => {
      // Differences are printed as they are found, also those of one JSON value.
      let separator = '';
      const report = (difference: Difference): void => {
        if (!json) return print(difference.message);
        write(`${separator}${toJson(difference)}`);
        separator = ',';
      };
      const { differences, ...found } = await withDatabase(async (database) => {
        const context = await operatorContext(database, tenant);
        const expected = await readExpected(options, database, context.tenant.id);
        if (json) write('{"differences":[');
        return verifyBooks(context, { report, expected });
      });
      const { documents, files, unproven, position, hash, auditLog } = found;
      if (json) print(`],${toJson(found).slice(1)}`);
      else {
        print(`Documents that agree with their proofs: ${documents}, with ${files} files`);
        print(`Issued documents without a proof yet: ${unproven}`);
        if (hash !== null) print(`The last proof: ${position}:${hash}`);
        print(`Entries of the audit log that agree with their chain: ${auditLog.entries}`);
        print(`Entries that are not sealed yet: ${auditLog.unsealed}`);
        if (auditLog.last) print(`The last seal: ${auditLog.last.number}:${auditLog.last.hash}`);
      }
      if (differences > 0)
        throw new RefusedError(differences === 1 ? 'There is a difference' : `There are ${differences} differences`);
    });
}
