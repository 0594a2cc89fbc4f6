import autocannon, { type Request } from 'autocannon';

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
  let client = 0;
  const result = await autocannon({
    url: urls as unknown as string, // its types know of one only
    connections,
    amount,
    sampleInt: 1,
    timeout: 120,
    requests,
    // Each connection begins elsewhere, so that no two ask the same at the same time.
    setupClient: (connection) => {
      const from = Math.floor((client++ * requests.length) / connections);
      connection.setRequests([...requests.slice(from), ...requests.slice(0, from)].map((each) => ({ ...each })));
    },
  });
  const failed = result.non2xx + result.errors + result.timeouts;
  process.send?.({ perSecond: result['2xx'] / result.duration, failed } satisfies Outcome);
}
