import { fork } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';

/** What an innocent caller was answered beside an attack. */
export interface Figures {
  answers: number;
  /** How often each status came, or the code of a connection's error, such as ECONNRESET. */
  statuses: Record<string, number>;
  /** From the moment a request was due, in milliseconds. */
  slowestMs: number;
  medianMs: number;
}

export interface InnocentCaller {
  /** Waits for the answers that are still to come, and ends the caller. */
  stop(): Promise<Figures>;
}

interface Order {
  url: string;
  token: string;
}

const everyMs = 100;
/** After this a request counts as unanswered. */
const patienceMs = 20_000;

/**
 * Asks for GET /customers?per_page=1 every 100 ms, each time on a connection of its own, whether or not the requests
 * before are answered. It runs in a process of its own, so that an attacker in the test's process does not slow it down.
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

function ask({ url, token }: Order): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const asked = request(`${url}/api/v1/customers?per_page=1`, {
    agent: false,
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(patienceMs),
  });
  const failed = (error: NodeJS.ErrnoException): void => resolve(error.code ?? error.name);
  asked.on('error', failed).end();
  asked.on('response', (response) => {
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
  await ask(order);
  process.send?.('started');
  let dueAt = performance.now();
  const askInTime = async (due: number): Promise<void> => {
    const status = await ask(order);
    taken.push(performance.now() - due);
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  const timer = setInterval(() => {
    // A timer that comes late makes up for what it left out.
    for (; dueAt <= performance.now(); dueAt += everyMs) {
      const asked = askInTime(dueAt);
      open.add(asked);
      void asked.finally(() => open.delete(asked));
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
