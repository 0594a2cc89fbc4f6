import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';

export interface Get {
  url: string;
  authorization: string;
}

interface Order {
  gets: Get[];
  ms: number;
  concurrency: number;
}

/** Sends GET requests to the addresses in turn, from another process. */
export interface Load {
  /** @returns requests answered 200 per second */
  run(order: Order): Promise<number>;
  end(): void;
}

export function startLoad(): Load {
  const child = fork(new URL(import.meta.url));
  return {
    run: async (order) => {
      child.send(order);
      const [answer] = (await once(child, 'message')) as [{ perSecond: number } | { error: string }];
      if ('error' in answer) throw new Error(answer.error);
      return answer.perSecond;
    },
    end: () => void child.kill(),
  };
}

const agent = new Agent({ keepAlive: true });

const get = ({ url, authorization }: Get): Promise<void> =>
  new Promise((resolve, reject) => {
    request(url, { agent, headers: { authorization } }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${response.statusCode} from ${url}`));
      response.resume().on('end', resolve);
    })
      .on('error', reject)
      .end();
  });

async function load({ gets, ms, concurrency }: Order): Promise<number> {
  let next = 0;
  let answered = 0;
  const start = performance.now();
  const client = async (): Promise<void> => {
    while (performance.now() < start + ms) {
      await get(gets[next++ % gets.length]!);
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  return answered / ((performance.now() - start) / 1000);
}

if (import.meta.main) {
  process.on('message', async (order: Order) => {
    const answer = await load(order).then(
      (perSecond) => ({ perSecond }),
      (error: unknown) => ({ error: String(error) }),
    );
    process.send?.(answer);
  });
}
