import { Piscina } from 'piscina';
import { hash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { batchPerRequest } from '../../prisma/batching.ts';
import type { Context } from '../context.ts';
import { refuse } from '../errors.ts';
import { ConcurrencyLimiter, FairLimiter } from '../execution/concurrency-limiter.ts';
import type { UploadedFile } from '../input/uploaded-file.ts';
import type { LogoResult } from './logo-thread.ts';

// The logos of company profiles. What is uploaded is drawn again, and stored as a PNG under its SHA-256. A stored logo never
// changes, so an issued invoice has the logo of that day by its id.

const maxBytes = 1024 * 1024;
/** How long a logo may take to be drawn, in milliseconds. */
const maxTime = 3_000;
/** How many logos a tenant can have had. Those of issued invoices are kept. */
const maxLogos = 100;

const perTenant = new FairLimiter();
const perProcess = new ConcurrencyLimiter(1);

/**
 * Makes a logo of an uploaded PNG or SVG.
 * @returns a PNG
 * @throws ValidationError at `path` if the file can't be one
 */
export async function makeLogo({ tenant }: Context, file: UploadedFile, path: string): Promise<Uint8Array> {
  if (file.fault !== undefined) refuse(path, file.fault);
  if ((await stat(file.path)).size > maxBytes) refuse(path, 'Must be at most 1 MiB.');
  const bytes = await readFile(file.path);
  const result = await perTenant.run(tenant.id, () => perProcess.run(() => drawInThread(bytes)));
  return result.fault === undefined ? result.png : refuse(path, result.fault);
}

/** A thread of its own for each logo, so that one that takes too long, or too much memory, can be ended. */
async function drawInThread(bytes: Uint8Array): Promise<LogoResult> {
  const filename = new URL('logo-thread.ts', import.meta.url).href;
  const resourceLimits = { maxOldGenerationSizeMb: 256 };
  const thread = new Piscina({ filename, maxThreads: 1, niceIncrement: 5, resourceLimits, execArgv: [] });
  const signal = AbortSignal.timeout(maxTime);
  try {
    return (await thread.run(bytes, { signal })) as LogoResult;
  } catch (error) {
    if (signal.aborted) return { fault: 'Takes too long to be drawn.' };
    if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY')
      return { fault: 'Is too large to be drawn.' };
    throw error;
  } finally {
    await thread.destroy();
  }
}

/** Stores a logo, unless the tenant has it already. @returns its id */
export async function storeLogo({ db }: Context, png: Uint8Array, path: string): Promise<string> {
  const bytes = Buffer.from(png);
  const sha256 = hash('sha256', bytes, 'buffer') as Buffer<ArrayBuffer>;
  const stored = await db.companyLogo.findFirst({ where: { sha256 }, select: { id: true } });
  if (stored) return stored.id;
  if ((await db.companyLogo.count()) >= maxLogos) refuse(path, `There have been ${maxLogos} logos already.`);
  const { id } = await db.companyLogo.create({ data: { sha256, bytes }, select: { id: true } });
  return id;
}

const logos = batchPerRequest<Uint8Array | null, Pick<Context, 'db'>>(async (ids, { db }) => {
  const found = await db.companyLogo.findMany({ where: { id: { in: ids } }, select: { id: true, bytes: true } });
  return new Map(found.map(({ id, bytes }) => [id, bytes]));
}, null);

/** The PNG of a stored logo. */
export async function findLogo({ db }: Pick<Context, 'db'>, id: string | null | undefined): Promise<Uint8Array | null> {
  return id == null ? null : logos(id, { db });
}
