import { randomUUID } from 'node:crypto';
import { customer } from '../rest/samples.ts';

/** The responses to clients, by kind of request: how often each status came, or `none` without a response. */
export interface Answered {
  reads: Record<string, number>;
  writes: Record<string, number>;
  /** 503s without what they promise, and of reads that had not waited. */
  wrong: string[];
}

export interface Readers {
  answered: Answered;
  stop(): Promise<void>;
}

/** The shortest time that anything is waited for: a connection. */
const shortestWaitMs = 5000;

/** Reads over both APIs, and writes, until told to stop. */
export function startReaders(url: string, token: string, clients = 3): Readers {
  const answered: Answered = { reads: {}, writes: {}, wrong: [] };
  const stopping = new AbortController();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const send = async (kind: 'reads' | 'writes', path: string, body?: object): Promise<void> => {
    const counts = answered[kind];
    const count = (status: string): void => void (counts[status] = (counts[status] ?? 0) + 1);
    const begun = performance.now();
    try {
      const init = { headers, signal: AbortSignal.timeout(30_000) };
      const response = await fetch(url + path, body ? { ...init, method: 'POST', body: JSON.stringify(body) } : init);
      const text = await response.text();
      const isPromised = /^\d+$/.test(response.headers.get('retry-after') ?? '') && /UNAVAILABLE|Try again/.test(text);
      if (response.status === 503 && !isPromised) answered.wrong.push(text);
      // On a busy machine, the time of a request may be over first.
      const hasWaited = performance.now() - begun >= shortestWaitMs;
      if (response.status === 503 && kind === 'reads' && !hasWaited) answered.wrong.push(`at once: ${text}`);
      count(response.status === 200 && text.includes('"errors"') ? `200 with ${text}` : String(response.status));
    } catch (error) {
      count(`none: ${String((error as Error).cause ?? error)}`);
    }
  };
  const query = { query: '{ customers(first: 3) { totalCount nodes { id companyName } } }' };
  const client = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await send('reads', '/api/v1/customers');
      await send('reads', '/graphql', query);
      await send('reads', '/api/v1/me');
      await send('writes', '/api/v1/customers', { ...customer, company_name: randomUUID() });
    }
  };
  const running = Promise.all(Array.from({ length: clients }, client));
  return {
    answered,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

export const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((all, one) => all + one, 0);
