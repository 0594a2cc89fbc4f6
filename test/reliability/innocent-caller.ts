import { fork } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';

/** The answers to an innocent caller during an attack. */
export interface Figures {
  answers: number;
  /** How often each status was answered, or each connection error occurred, such as ECONNRESET. */
  statuses: Record<string, number>;
  /** In milliseconds from the time when a request was due. */
  slowestMs: number;
  medianMs: number;
}

export interface InnocentCaller {
  /** Waits for the pending answers, and ends the caller. */
  stop(): Promise<Figures>;
}

interface Order {
  url: string;
  token: string;
}

const everyMs = 100;
/** Timeout after which a request counts as unanswered. */
const timeoutMs = 20_000;

/**
 * Sends GET /customers?per_page=1 every 100 ms, each time on a new connection, without waiting for earlier answers. It
 * runs in another process, so that an attacker in the test's process does not slow it down.
 * @param url the server's address, without a path
 */
export async function startInnocentCaller(url: string, token: string): Promise<InnocentCaller> {
  const child = fork(new URL(import.meta.url));
  child.send({ url, token } satisfies Order);
  await once(child, 'message'); // the first answer has come: the caller is warm
  return {
    stop: async () => {
      child.send('stop');
      const [figures] = (await once(child, 'message')) as [Figures];
      child.disconnect();
      return figures;
    },
  };
}

function sendRequest({ url, token }: Order): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const sent = request(`${url}/api/v1/customers?per_page=1`, {
    agent: false,
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(timeoutMs),
  });
  const failed = (error: NodeJS.ErrnoException): void => resolve(error.code ?? error.name);
  sent.on('error', failed).end();
  sent.on('response', (response) => {
    response
      .on('error', failed)
      .on('end', () => resolve(String(response.statusCode)))
      .resume();
  });
  return promise;
}

async function call(order: Order): Promise<void> {
  const taken: number[] = [];
  const statuses: Record<string, number> = {};
  const open = new Set<Promise<void>>();
  await sendRequest(order);
  process.send?.('started');
  let dueAt = performance.now();
  const sendWhenDue = async (due: number): Promise<void> => {
    const status = await sendRequest(order);
    taken.push(performance.now() - due);
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  const timer = setInterval(() => {
    // A late timer sends the missed requests.
    for (; dueAt <= performance.now(); dueAt += everyMs) {
      const sent = sendWhenDue(dueAt);
      open.add(sent);
      void sent.finally(() => open.delete(sent));
    }
  }, everyMs / 4);
  await once(process, 'message');
  clearInterval(timer);
  await Promise.all(open);
  const sorted = taken.toSorted((a, b) => a - b).map((ms) => Math.round(ms * 10) / 10);
  const figures: Figures = {
    answers: sorted.length,
    statuses,
    slowestMs: sorted.at(-1) ?? 0,
    medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0,
  };
  process.send?.(figures);
}

if (import.meta.main) {
  process.once('disconnect', () => process.exit());
  process.once('message', (order: Order) => void call(order));
}
