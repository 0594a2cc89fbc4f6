import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Task } from 'graphile-worker';
import { isUnwritable } from '../../prisma/client.ts';
import { StorageUnavailableError } from '../../schema/errors/errors.ts';
import { ExportError } from '../../schema/exports/export-error.ts';
import { UnpreparedError } from '../../schema/exports/export-content.ts';
import { buildContent, countExport, prepareExport } from '../../schema/exports/write-export.ts';
import type { Ability } from '../../schema/graphql/ability.ts';
import type { Context } from '../../schema/graphql/context.ts';
import { FileTooLongError } from '../../schema/graphql/file-storage.ts';
import { ConcurrencyLimiter, FairLimiter } from '../../schema/graphql/execution/concurrency-limiter.ts';
import { makeTemporaryFolder } from '../../schema/graphql/input/temporary-folder.ts';
import { fileKey } from '../../schema/resources/export/file.ts';
import { abilitiesToExport, maxFileLength } from '../../schema/resources/export/kinds.ts';
import * as transitions from '../../schema/resources/export/transitions.ts';
import type { ExportRow } from '../../schema/resources/export/transitions.ts';
import type { Database } from '../database/database.ts';
import type { Domain } from '../domain.ts';
import { findPrincipal } from '../identity/index.ts';
import { forEachTenant } from './for-each-tenant.ts';
import { getJobPrincipal } from './job-principal.ts';
import { InterruptedError, startPace } from './pace.ts';
import type { TenantPayload } from './queue/tenant-queue.ts';

/** Exports that a worker writes at the same time, one of each holder. Tenants take turns, an export each. */
const exportsAtOnce = 2;

/** After so many attempts by one process, an export that fails for a reason that nobody expected has failed for good. */
const attemptsOfOne = 5;

/**
 * All of an export is read in one transaction, so that its parts belong together. It may take so long: PostgreSQL can't clean
 * up meanwhile what was deleted after its begin. Attachments are read from the storage in it; the export itself is stored after it.
 */
const limits = { readMs: 30 * 60 * 1000, bytes: maxFileLength };

/** How often progress is recorded. In milliseconds. */
const progressMs = 1000;

/** It was cancelled while it was written. */
class CancelledError extends Error {}

/**
 * Deletes exports some days after their end, and their files first.
 * @param fileDays how long those are kept that have no file
 */
export const cleanUpExports =
  ({ client, workers }: Pick<Database, 'client' | 'workers'>, domain: Domain, fileDays: number): Task =>
  async (_payload, { abortSignal }) => {
    const pause = startPace(abortSignal);
    await forEachTenant(await client.tenant.findMany(), workers, pause, async (tenant) =>
      deleteOld(domain.contextFor(getJobPrincipal(tenant)), fileDays, pause),
    );
  };

async function deleteOld(own: Context, fileDays: number, pause: () => Promise<void> = async () => {}): Promise<void> {
  const now = own.now();
  const endedBefore = new Date(now.getTime() - fileDays * dayMs);
  const where = { OR: [{ expiresAt: { lte: now } }, { expiresAt: null, finishedAt: { lte: endedBefore } }] };
  for (const { id } of await own.db.export.findMany({ where, select: { id: true } })) {
    await own.fileStorage.delete(fileKey(own.tenant.id, id));
    await own.db.export.deleteMany({ where: { id } });
    await pause();
  }
}

const dayMs = 86_400_000;

/**
 * Writes the tenant's exports in the order in which they were started.
 * @param fileDays how long files are kept
 * @param most how long one may be read, and how long its file may be
 */
export function runExports(
  { client, pool }: Pick<Database, 'client' | 'pool'>,
  domain: Domain,
  fileDays: number,
  report: (error: unknown) => void,
  most = limits,
): Task {
  const perHolder = new FairLimiter();
  const perProcess = new ConcurrencyLimiter(exportsAtOnce);
  /** How often exports have failed, by id. The queue counts the attempts of the tenant's job, which writes many exports. */
  const failures = new Map<string, number>();

  return async (payload, { abortSignal }) => {
    const { tenantId } = payload as TenantPayload;
    const tenant = await client.tenant.findUnique({ where: { id: tenantId } });
    if (!tenant) return;
    const own = domain.contextFor(getJobPrincipal(tenant));
    for (let next = await transitions.findNext(own); next; next = await transitions.findNext(own)) {
      const current = next;
      if (abortSignal?.aborted) throw new InterruptedError();
      await perHolder.run(own.tenant.holder, () => perProcess.run(() => attempt(current, own, abortSignal)));
      await deleteOld(own, fileDays); // files that have no room any more
    }
  };

  async function attempt(asked: ExportRow, own: Context, stopping: AbortSignal | undefined): Promise<void> {
    const { id } = asked;
    try {
      await write(asked, own, stopping);
    } catch (error) {
      if (stopping?.aborted) throw new InterruptedError();
      if (!(error instanceof CancelledError)) await endFailed(id, own, error);
    }
    failures.delete(id);
  }

  /** @throws the error if the export is to be tried again */
  async function endFailed(id: string, own: Context, error: unknown): Promise<void> {
    // An export waits for a storage that is away, and for a disk that is full.
    if (error instanceof StorageUnavailableError || isUnwritable(error)) throw error;
    const reason = findReason(error);
    if (reason === undefined) {
      const failed = (failures.get(id) ?? 0) + 1;
      failures.set(id, failed);
      if (failed < attemptsOfOne) throw error;
      report(error);
    }
    await transitions.fail(own, id, reason ?? unexpected);
  }

  /** Writes an export with the access that the one who started it has now. */
  async function write(asked: ExportRow, own: Context, stopping: AbortSignal | undefined): Promise<void> {
    const { id } = asked;
    const context = await contextOfStarter(asked, own, stopping);
    if (!(await transitions.begin(own, id))) return;
    await transitions.recordProgress(own, id, { rows: await countExport(context, asked) });
    const folder = await makeTemporaryFolder();
    try {
      const path = join(folder.path, 'file');
      const progress = followProgress(own, id);
      const fileName = await writeTo(path, context, asked, progress);
      const { fileStorage, tenant } = own;
      const key = fileKey(tenant.id, id);
      const file = await fileStorage.write(key, createReadStream(path), most.bytes);
      const expiresAt = new Date(own.now().getTime() + fileDays * dayMs);
      const isCompleted = await transitions.complete(own, id, progress.rows, { fileName, ...file, expiresAt });
      if (!isCompleted) await fileStorage.delete(key);
    } finally {
      await folder.discard();
    }
  }

  /** @returns the name of the file */
  async function writeTo(
    path: string,
    context: Context,
    asked: ExportRow,
    progress: ReturnType<typeof followProgress>,
  ): Promise<string> {
    for (;;) {
      await prepareExport(context, asked);
      const begunAt = performance.now();
      try {
        return await context.transaction(
          async (inside) => {
            const content = await buildContent(inside, asked, (rows) => void (progress.rows = rows));
            // Opened first: of a stream that still opens its file, the pipeline may end, and its folder be removed, before that.
            const file = await open(path, 'w', 0o600);
            await pipeline(limit(content.chunks, most.bytes, progress.check), file.createWriteStream());
            return content.fileName;
          },
          { timeout: most.readMs, isolationLevel: 'RepeatableRead' },
        );
      } catch (error) {
        // Then the transaction has ended, as which what was under way says in several ways.
        if (performance.now() - begunAt >= most.readMs) throw new ExportError(overTime);
        if (!(error instanceof UnpreparedError)) throw error;
      }
    }
  }

  /** @throws ExportError if they have no access any more, or too little */
  async function contextOfStarter(asked: ExportRow, own: Context, signal: AbortSignal | undefined): Promise<Context> {
    const principal = await findPrincipal(pool, asked, own.now());
    if (!principal) throw new ExportError('The one who started it has no access any more.');
    const context = domain.contextFor(principal, { ...(signal && { signal }) });
    const needed: Ability[] = ['exports:write', ...abilitiesToExport(asked)];
    const lacking = needed.find((ability) => !context.may(ability));
    if (lacking) throw new ExportError(`Its token lacks the ability ${lacking}.`);
    return context;
  }
}

const overTime = 'It took longer than half an hour. Choose a shorter period.';
const unexpected = 'It could not be written. The log of the service says why.';

/** Why an export can't be written, for whoever asked; undefined for an error that may not come again. */
function findReason(error: unknown): string | undefined {
  if (error instanceof ExportError) return error.message;
  return error instanceof FileTooLongError
    ? 'Its file would be longer than 2 GiB. Choose a shorter period.'
    : undefined;
}

/** Records progress now and then, and ends what is cancelled. */
function followProgress(own: Context, id: string) {
  let recordedAt = performance.now();
  const progress = {
    rows: 0,
    check: async (): Promise<void> => {
      if (performance.now() - recordedAt < progressMs) return;
      if (!(await transitions.recordProgress(own, id, { processedRows: progress.rows }))) throw new CancelledError();
      recordedAt = performance.now();
    },
  };
  return progress;
}

async function* limit(
  chunks: AsyncIterable<Uint8Array>,
  most: number,
  check: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > most) throw new FileTooLongError(most);
    await check();
    yield chunk;
  }
}
