import { Piscina } from 'piscina';
import type { InvoiceSource } from './invoice-source.ts';

/** How many threads of this process make PDFs at a time, for all tenants. Each takes a processor core and some memory. */
const maxThreads = 1;
/** A thread that has nothing to do ends, because its fonts take memory. In milliseconds. */
const idleTimeout = 30_000;
/** Node's priority of the threads, as of `nice`: requests come first. */
const niceIncrement = 5;
const resourceLimits = { maxOldGenerationSizeMb: 256 };

let threads: Piscina | undefined;

/** Makes an invoice's PDF without blocking the event loop. */
export function renderInThread(source: InvoiceSource): Promise<Uint8Array<ArrayBuffer>> {
  threads ??= new Piscina({
    filename: new URL('render-thread.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads,
    idleTimeout,
    niceIncrement,
    resourceLimits,
    execArgv: [],
  });
  return threads.run(source) as Promise<Uint8Array<ArrayBuffer>>;
}
