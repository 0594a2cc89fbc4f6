import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { hostileDocument } from '../graphql/hostile.ts';

/** Documents to send, by the numbers that they are made from. */
interface Order {
  url: string;
  authorization: string;
  from: number;
  count: number;
  atOnce: number;
}

export interface Attack {
  family: string;
  ms: number;
  /** What no document may be answered. */
  wrong?: { seed: number; status: number; answer: unknown };
}

/** Sends hostile documents from a process of its own: what making them takes is none of the server's slowness. */
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

function post({ url, authorization }: Order, body: string): Promise<{ status: number; text: string }> {
  const headers = { authorization, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
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
  const { family, body } = hostileDocument(seed);
  const start = performance.now();
  const { status, text } = await post(order, body);
  const ms = performance.now() - start;
  const answer = JSON.parse(text) as { data?: object; errors?: { extensions?: { code?: string } }[] };
  const isFault = answer.errors?.some(({ extensions }) => extensions?.code === 'INTERNAL_SERVER_ERROR');
  const isGood = [200, 400, 413].includes(status) && !isFault && (answer.data || answer.errors);
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
