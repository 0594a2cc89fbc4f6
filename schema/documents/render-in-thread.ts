import type { Piscina } from 'piscina';
import type { DocumentSource } from './document-source.ts';
import type { RenderWork } from './render-thread.ts';

/**
 * How many threads of this process make PDFs at a time. Each takes a processor core and some memory. A tenant has one of them
 * at a time. Very long documents have a thread of their own, so that usual ones don't wait for them.
 */
const threadsFor = { usual: 2, veryLong: 1 };
/** In characters, with the names of the source's fields. Most documents have some thousand. */
const longestUsual = 100_000;
/** A thread that has nothing to do ends, because its fonts take memory. In milliseconds. */
const idleTimeout = 30_000;
/** Node's priority of the threads, as of `nice`: requests come first. */
const niceIncrement = 5;
const resourceLimits = { maxOldGenerationSizeMb: 256 };

type Length = keyof typeof threadsFor;
const pools = new Map<Length, Promise<Piscina>>();

/**
 * Makes an invoice's PDF without blocking the event loop. Tenants take turns: see stored-files.ts.
 * @param logo a PNG
 */
export async function renderInThread(
  source: DocumentSource,
  logo: Uint8Array | null = null,
): Promise<Uint8Array<ArrayBuffer>> {
  const length = JSON.stringify(source).length > longestUsual ? 'veryLong' : 'usual';
  const pool = pools.get(length) ?? makePool(threadsFor[length]);
  pools.set(length, pool);
  const run = (await pool).run({ source, logo } satisfies RenderWork);
  return run as Promise<Uint8Array<ArrayBuffer>>;
}

/** Loads the pool of threads with the first PDF: many processes make none. */
async function makePool(maxThreads: number): Promise<Piscina> {
  const { Piscina } = await import('piscina');
  return new Piscina({
    filename: new URL('render-thread.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads,
    idleTimeout,
    niceIncrement,
    resourceLimits,
    execArgv: [],
  });
}
