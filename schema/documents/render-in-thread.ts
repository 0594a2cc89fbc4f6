import { Piscina } from 'piscina';
import { ConcurrencyLimiter } from '../execution/concurrency-limiter.ts';
import type { DocumentSource } from './document-source.ts';

/** How many threads of this process make PDFs at a time, for all tenants. Each takes a processor core and some memory. */
const maxThreads = 1;
/** A thread that has nothing to do ends, because its fonts take memory. In milliseconds. */
const idleTimeout = 30_000;
/** Node's priority of the threads, as of `nice`: requests come first. */
const niceIncrement = 5;
const resourceLimits = { maxOldGenerationSizeMb: 256 };

let threads: Piscina | undefined;

/** The tenants that have PDFs made now: each one at a time, so that nobody waits for all of another tenant's. */
const tenants = new Map<string, { limiter: ConcurrencyLimiter; pending: number }>();

/** Makes an invoice's PDF without blocking the event loop. */
export async function renderInThread(tenantId: string, source: DocumentSource): Promise<Uint8Array<ArrayBuffer>> {
  const tenant = tenants.get(tenantId) ?? { limiter: new ConcurrencyLimiter(1), pending: 0 };
  tenants.set(tenantId, tenant);
  tenant.pending += 1;
  try {
    return await tenant.limiter.run(() => render(source));
  } finally {
    tenant.pending -= 1;
    if (tenant.pending === 0) tenants.delete(tenantId);
  }
}

function render(source: DocumentSource): Promise<Uint8Array<ArrayBuffer>> {
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
