import type { Task } from 'graphile-worker';
import { runLines } from '../../rest-shim/bulk-line.ts';
import { ConcurrencyLimiter, FairLimiter } from '../../schema/graphql/execution/concurrency-limiter.ts';
import type { Ability } from '../../schema/graphql/ability.ts';
import { bulkKinds } from '../../schema/resources/bulk-operation/kinds.ts';
import { failOperation, findNext, runNextChunk, type LineResult } from '../../schema/resources/bulk-operation/run.ts';
import type { BulkOperationRow } from '../../schema/resources/bulk-operation/transitions.ts';
import type { Context } from '../../schema/graphql/context.ts';
import { analyze, manyRows, withParts } from '../database/analyze.ts';
import type { Database } from '../database/database.ts';
import type { Domain } from '../domain.ts';
import { findPrincipal } from '../identity/index.ts';
import type { Metrics } from '../observability/metrics/metrics.ts';
import { getJobPrincipal } from './job-principal.ts';
import { InterruptedError } from './pace.ts';
import type { TenantPayload } from './queue/tenant-queue.ts';

/** Chunks that a worker does at the same time, one of each holder. Tenants take turns, a chunk each. */
const chunksAtOnce = 2;

/**
 * Does the tenant's bulk operations, one after another, in the order in which they were started.
 * @param many from so many lines on, PostgreSQL makes statistics of what an operation has written
 */
export function runBulkOperations(
  { client, pool, workers }: Pick<Database, 'client' | 'pool' | 'workers'>,
  domain: Domain,
  report: (error: unknown) => void,
  metrics?: Pick<Metrics, 'bulkLines' | 'bulkOperation'>,
  many = manyRows,
): Task {
  const perHolder = new FairLimiter();
  const perProcess = new ConcurrencyLimiter(chunksAtOnce);

  return async (payload, { abortSignal }) => {
    const { tenantId } = payload as TenantPayload;
    const tenant = await client.tenant.findUnique({ where: { id: tenantId } });
    if (!tenant) return;
    const own = domain.contextFor(getJobPrincipal(tenant));
    for (let operation = await findNext(own); operation; operation = await findNext(own)) {
      const current = operation;
      for (let goesOn = true; goesOn;) {
        if (abortSignal?.aborted) throw new InterruptedError();
        goesOn = await perHolder.run(own.tenant.holder, () => perProcess.run(() => runAsStarter(current, own)));
      }
      const { resource, lines } = current;
      if (lines < many) continue;
      await analyze({ pool, workers }, tenantId, withParts([bulkKinds[resource].model])).catch(report);
    }
  };

  /** Does a chunk with the access that the one who started the operation has now. */
  async function runAsStarter(operation: BulkOperationRow, own: Context): Promise<boolean> {
    const { id, resource } = operation;
    const principal = await findPrincipal(pool, operation, own.now());
    if (!principal) {
      await fail(own, id, 'The one who started it has no access any more.');
      return false;
    }
    const context = domain.contextFor(principal);
    const needed: Ability[] = ['bulk-operations:write', `${bulkKinds[resource].scope}:write`];
    const lacking = needed.find((ability) => !context.may(ability));
    if (lacking) {
      await fail(own, id, `Its token lacks the ability ${lacking}.`);
      return false;
    }
    let results: LineResult[] | undefined;
    const goesOn = await runNextChunk(context, id, async (now, lines, inside) => {
      results = await runLines(domain, now, lines, inside, report);
      return results;
    });
    // Without results it was cancelled.
    if (results && !own.tenant.test) countLines(results, goesOn);
    return goesOn;
  }

  async function fail(own: Context, id: string, error: string): Promise<void> {
    await failOperation(own, id, error);
    if (!own.tenant.test) metrics?.bulkOperation('failed');
  }

  function countLines(results: readonly LineResult[], goesOn: boolean): void {
    const failed = results.filter(({ isRefused }) => isRefused).length;
    metrics?.bulkLines('failed', failed);
    metrics?.bulkLines('succeeded', results.length - failed);
    if (!goesOn) metrics?.bulkOperation('completed');
  }
}
