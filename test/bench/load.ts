import { once } from 'node:events';
import autocannon, { type Request, type Result } from 'autocannon';

// The load generator, in a process of its own: does what it is told, and tells how many requests were answered.

export interface Order {
  urls: string[];
  requests: Request[];
  connections: number;
  /** How many requests to send; all are waited for, so that nothing is still at work when the next begins. */
  amount: number;
}

export interface Outcome {
  perSecond: number;
  /** Answers that weren't 2xx, and requests that weren't answered. */
  failed: number;
}

process.on('message', (order: Order) => void load(order));

async function load({ urls, requests, connections, amount }: Order): Promise<void> {
  let [client, start] = [0, NaN];
  const options = {
    url: urls as unknown as string, // its types know of one only
    connections,
    amount,
    sampleInt: 1,
    timeout: 120,
    // Each connection asks for its own, so that no two ask for the same at the same time.
    setupClient: (connection: autocannon.Client) => {
      const own = client++ % connections;
      connection.setRequests(requests.filter((_, at) => at % connections === own));
    },
  };
  const running = autocannon(options, () => {});
  running.once('start', () => (start = performance.now())); // when all of that is set up
  const [result] = (await once(running, 'done')) as [Result];
  const seconds = (performance.now() - start) / 1000;
  const failed = result.non2xx + result.errors + result.timeouts;
  process.send?.({ perSecond: result['2xx'] / seconds, failed } satisfies Outcome);
}
