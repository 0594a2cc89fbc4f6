import { openDatabase } from '../../../src/database/database.ts';
import { readConfig } from '../../../src/config/config.ts';
import { createDomain } from '../../../src/domain.ts';
import { getJobPrincipal } from '../../../src/jobs/job-principal.ts';
import { openStorage } from '../../../src/storage/storage.ts';
import { createWebhooks } from '../../../src/webhooks/webhooks.ts';
import { findViolations } from '../../../schema/tenant-archive/consistency.ts';
import { verifyDocuments } from '../../../schema/resources/document/verify.ts';
import { forTenant } from '../../../prisma/client.ts';
import { countedTables, wrongCounts } from '../../counted-rows.ts';
import { secret, type Installation, type Tenant } from './installation.ts';
import { environment } from './processes.ts';
import { figure, type ReportRow } from './report.ts';

/** So many invoices are verified in a moment. */
const maxVerified = 5000;

/**
 * Checks the books of a sample of tenants as an import does, their files as `kontor verify` does, and all row counts.
 * @throws Error for the first violation
 */
export async function checkConsistency({ url, pool, tenants }: Installation): Promise<ReportRow> {
  for (const counted of countedTables) {
    const { rows } = await pool.query(`${wrongCounts(counted)} limit 1`);
    if (rows.length > 0) throw new Error(`ReportRow counts are wrong: ${JSON.stringify(rows[0])}`);
  }
  const config = readConfig({ ...environment, DATABASE_URL: url });
  const database = await openDatabase(config, { report: () => {} });
  const webhooks = createWebhooks({ secret, allowInsecure: true });
  const { contextFor } = createDomain(database, webhooks, { url: '' }, await openStorage(config));
  const sample = sampleOfEachSize(tenants);
  let documents = 0;
  for (const { id, invoices } of sample) {
    const [violation] = await findViolations(forTenant(database.books, id));
    if (violation) throw new Error(`Tenant ${id}: ${violation.type} ${violation.key}: ${violation.message}`);
    if (invoices > maxVerified) continue;
    const tenant = await database.client.tenant.findUniqueOrThrow({ where: { id } });
    const differences: string[] = [];
    const verified = await verifyDocuments(contextFor(getJobPrincipal(tenant)), {
      report: ({ message }) => differences.push(message),
    });
    // The job proves some of the documents that were made without a proof.
    const difference = differences.find((message) => !message.endsWith(' has no proof'));
    if (difference !== undefined) throw new Error(`Tenant ${id}: ${difference}`);
    documents += verified.documents;
  }
  await database.close();
  return {
    work: 'consistency checked',
    figures: [figure('tenants', sample.length), figure('documents with proofs', documents)],
  };
}

/** The largest tenant, and some others. */
const sampleOfEachSize = (tenants: Tenant[]): Tenant[] =>
  tenants.filter((_, at) => at === 0 || at % Math.ceil(tenants.length / 10) === 10);
