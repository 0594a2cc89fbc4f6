import type { Command } from 'commander';
import { verifyAuditLog } from '../../schema/resources/audit-log/seal.ts';
import { verifyDocuments } from '../../schema/resources/document/verify.ts';
import { RefusedError } from '../identity/index.ts';
import { print, printJson } from './output.ts';
import { asJson, withDatabase, type Json } from './database.ts';
import { operatorContext } from './operator.ts';

export function addVerifyCommand(program: Command): void {
  asJson(
    program
      .command('verify')
      .description("check that nobody has changed a tenant's audit log, or the files of invoices and credit notes"),
  )
    .requiredOption('--tenant <id>')
    .action(async ({ tenant, json }: { tenant: string } & Json) => {
      const { auditLog, ...found } = await withDatabase(async (database) => {
        const context = await operatorContext(database, tenant);
        return { ...(await verifyDocuments(context)), auditLog: await verifyAuditLog(context) };
      });
      const { documents, files, unproven, hash, difference } = found;
      if (json) printJson({ ...found, auditLog });
      else {
        print(`Documents that agree with their proofs: ${documents}, with ${files} files`);
        print(`Issued documents without a proof yet: ${unproven}`);
        if (hash !== null) print(`The last proof: ${hash}`);
        print(`Entries of the audit log that agree with their chain: ${auditLog.entries}`);
        print(`Entries that are not sealed yet: ${auditLog.unsealed}`);
        if (auditLog.last) print(`The last seal: ${auditLog.last.number}:${auditLog.last.hash}`);
      }
      const differences = [difference, auditLog.difference].filter((each) => each !== null);
      if (differences.length > 0) throw new RefusedError(differences.join('. '));
    });
}
