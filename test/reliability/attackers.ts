import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { hostileInput, type Ids } from '../graphql/hostile/hostile-inputs.ts';
import { hostileDocument } from '../graphql/hostile/hostile.ts';

/** The documents to send, by their seeds. */
interface Order {
  url: string;
  authorization: string;
  from: number;
  count: number;
  atOnce: number;
  /** Ids that the documents can refer to. */
  ids: Ids;
}

export interface Attack {
  family: string;
  ms: number;
  /** An unexpected answer. */
  wrong?: { seed: number; status: number; answer: unknown };
}

/** Sends hostile documents from another process, so that generating them doesn't slow down the server. */
export interface Attackers {
  send(order: Order): Promise<Attack[]>;
  end(): void;
}

export function startAttackers(): Attackers {
  const child = fork(new URL(import.meta.url));
  return {
    send: async (order) => {
      child.send(order);
      const [attacks] = (await once(child, 'message')) as [Attack[]];
      return attacks;
    },
    end: () => void child.kill(),
  };
}

const agent = new Agent({ keepAlive: true });

function post({ url, authorization }: Order, body: string, type: string): Promise<{ status: number; text: string }> {
  const headers = { authorization, 'content-type': type, 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    request(url, { agent, method: 'POST', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text })).on('error', reject);
    })
      .on('error', reject)
      .end(body);
  });
}

async function attack(order: Order, seed: number): Promise<Attack> {
  // Alternating, so that the other callers always run beside both kinds.
  const at = Math.floor(seed / 2);
  const { family, body, type } = seed % 2 === 0 ? hostileDocument(at) : hostileInput(at, order.ids);
  const start = performance.now();
  const { status, text } = await post(order, body, type ?? 'application/json');
  const ms = performance.now() - start;
  const answer = JSON.parse(text) as { data?: object; errors?: { extensions?: { code?: string } }[] };
  const isInternalError = answer.errors?.some(({ extensions }) => extensions?.code === 'INTERNAL_SERVER_ERROR');
  // A tenant's uploads are limited. An upload counts until its file is deleted, which is after its answer.
  const good = type ? [200, 400, 413, 429] : [200, 400, 413];
  const isGood = good.includes(status) && !isInternalError && (answer.data || answer.errors);
  return { family, ms, ...(!isGood && { wrong: { seed, status, answer } }) };
}

async function sendAll(order: Order): Promise<Attack[]> {
  const attacks: Attack[] = [];
  let next = order.from;
  const attacker = async (): Promise<void> => {
    while (next < order.from + order.count) attacks.push(await attack(order, next++));
  };
  await Promise.all(Array.from({ length: order.atOnce }, attacker));
  return attacks;
}

if (import.meta.main) {
  process.on('message', async (order: Order) => {
    process.send?.(await sendAll(order));
  });
}
