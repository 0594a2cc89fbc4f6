import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { batchPerRequest } from '../../prisma/batching.ts';
import type { Context } from '../graphql/context.ts';
import { refuse } from '../errors/errors.ts';
import { ConcurrencyLimiter, FairLimiter } from '../graphql/execution/concurrency-limiter.ts';
import type { UploadedFile } from '../graphql/input/uploaded-file.ts';
import { limitWork } from './limit-work.ts';
import { describePngProblem, type LogoResult } from './logo-thread.ts';
import { isPng, PngError, readPngParts } from './pdf/png.ts';

// The logos of company profiles. An uploaded picture is drawn again, and stored as a PNG under its SHA-256. A stored logo never
// changes, so an issued invoice has the logo of that day by its id. Others are deleted when the profile has another one: how
// many are stored is bounded by the issued invoices, each of whose PDFs has a copy.

/** The longest file of a logo, in bytes. */
export const maxBytes = 1024 * 1024;
/** How long a processor may work on a logo, in milliseconds. */
const maxWork = 2_000;
/** How long a logo may take in all, on a busy machine too. Less than a request may take. */
const maxTime = 8_000;

const perHolder = new FairLimiter();
const perProcess = new ConcurrencyLimiter(1);

/**
 * Makes a logo of an uploaded PNG or SVG.
 * @returns a PNG
 * @throws ValidationError at `path` if the file can't be one
 */
export async function makeLogo({ tenant }: Context, file: UploadedFile, path: string): Promise<Uint8Array> {
  if (file.problem !== undefined) refuse(path, ...file.problem);
  if ((await stat(file.path)).size > maxBytes)
    refuse(path, 'file_too_large', 'Must be at most 1 MiB.', { max: maxBytes });
  const bytes = await readFile(file.path);
  // Before it waits for others, and has a thread.
  const problem = findFileProblem(bytes);
  if (problem !== undefined) refuse(path, 'invalid_file', problem);
  const result = await perHolder.run(tenant.holder, () => perProcess.run(() => drawInThread(bytes)));
  return result.problem === undefined ? result.png : refuse(path, 'invalid_file', result.problem);
}

/** Finds a problem of the file without drawing it. */
function findFileProblem(bytes: Buffer): string | undefined {
  if (!isPng(bytes)) return isUtf8(bytes) && /^\s*</.test(bytes.toString()) ? undefined : 'Must be a PNG or an SVG.';
  try {
    readPngParts(bytes);
    return undefined;
  } catch (error) {
    if (error instanceof PngError) return describePngProblem(error);
    throw error;
  }
}

/**
 * A thread of its own for each logo, so that one that takes too long, or too much memory, can be ended, and what draws it has
 * never held another.
 */
async function drawInThread(bytes: Uint8Array): Promise<LogoResult> {
  const filename = new URL('logo-thread.ts', import.meta.url).href;
  const resourceLimits = { maxOldGenerationSizeMb: 256 };
  const { Piscina } = await import('piscina');
  const thread = new Piscina({ filename, maxThreads: 1, resourceLimits, execArgv: [] });
  const work = limitWork(thread, maxWork);
  const signal = AbortSignal.any([work.signal, AbortSignal.timeout(maxTime)]);
  try {
    return (await thread.run(bytes, { signal })) as LogoResult;
  } catch (error) {
    if (signal.aborted) return { problem: 'Takes too long to be drawn.' };
    if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY')
      return { problem: 'Is too large to be drawn.' };
    throw error;
  } finally {
    work.stop();
    await thread.destroy();
  }
}

/** Has the changes of a tenant's logo wait for each other, until the transaction ends. */
export const lockLogos = ({ db }: Context): Promise<void> => db.waitForAdvisoryLock('company logos');

/** Stores a logo, unless the tenant has it already. Needs lockLogos(). @returns its id */
export async function storeLogo({ db }: Context, png: Uint8Array): Promise<string> {
  const bytes = Buffer.from(png);
  const sha256 = hash('sha256', bytes, 'buffer') as Buffer<ArrayBuffer>;
  const stored = await db.companyLogo.findFirst({ where: { sha256 }, select: { id: true } });
  if (stored) return stored.id;
  const { id } = await db.companyLogo.create({ data: { sha256, bytes }, select: { id: true } });
  return id;
}

/** Deletes the logos that neither documents nor the profile have. Needs lockLogos(). */
export async function deleteUnusedLogos({ db }: Context, { logoId }: { logoId: string | null }): Promise<void> {
  await db.companyLogo.deleteMany({ where: { isOnDocuments: false, ...(logoId !== null && { id: { not: logoId } }) } });
}

const logos = batchPerRequest<Uint8Array | null, Pick<Context, 'db'>>(async (ids, { db }) => {
  const found = await db.companyLogo.findMany({ where: { id: { in: ids } }, select: { id: true, bytes: true } });
  return new Map(found.map(({ id, bytes }) => [id, bytes]));
}, null);

/** The PNG of a stored logo. */
export async function findLogo({ db }: Pick<Context, 'db'>, id: string | null | undefined): Promise<Uint8Array | null> {
  return id == null ? null : logos(id, { db });
}
