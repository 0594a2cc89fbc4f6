import { Piscina } from 'piscina';
import { FairLimiter } from '../execution/concurrency-limiter.ts';
import type { DocumentSource } from './document-source.ts';
import type { RenderWork } from './render-thread.ts';

/** How many threads of this process make PDFs at a time, for all tenants. Each takes a processor core and some memory. */
const maxThreads = 1;
/** A thread that has nothing to do ends, because its fonts take memory. In milliseconds. */
const idleTimeout = 30_000;
/** Node's priority of the threads, as of `nice`: requests come first. */
const niceIncrement = 5;
const resourceLimits = { maxOldGenerationSizeMb: 256 };

let threads: Piscina | undefined;

const perTenant = new FairLimiter();

/**
 * Makes an invoice's PDF without blocking the event loop.
 * @param logo a PNG
 */
export const renderInThread = (
  tenantId: string,
  source: DocumentSource,
  logo: Uint8Array | null = null,
): Promise<Uint8Array<ArrayBuffer>> => perTenant.run(tenantId, () => render({ source, logo }));

function render(work: RenderWork): Promise<Uint8Array<ArrayBuffer>> {
  threads ??= new Piscina({
    filename: new URL('render-thread.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads,
    idleTimeout,
    niceIncrement,
    resourceLimits,
    execArgv: [],
  });
  return threads.run(work) as Promise<Uint8Array<ArrayBuffer>>;
}
