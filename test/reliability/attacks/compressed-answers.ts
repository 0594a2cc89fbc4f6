import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { expect } from 'vitest';
import { makeEvents } from '../../answers/large.ts';
import type { Integrator } from '../../harness.ts';
import type { Served } from '../served.ts';
import { size } from '../size.ts';
import type { Attack } from './attack.ts';

const seconds = size('SECONDS', { suite: 1, full: 30 });
const atOnce = 12;
const encodings = ['br', 'zstd', 'gzip'];

/** An answer of 2 MB. */
const events = 2;
const eventBytes = 1_000_000;

async function prepare({ url }: Served, attacker: Integrator): Promise<() => Promise<void>> {
  await makeEvents(attacker, events, eventBytes);
  const ask = async (encoding: string): Promise<{ status: number; encoding: string | undefined; bytes: number }> => {
    const headers = { authorization: `Bearer ${attacker.token}`, 'accept-encoding': encoding };
    const sent = request(`${url}/api/v1/events?per_page=${events}`, { headers }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    let bytes = 0;
    for await (const part of response) bytes += (part as Buffer).length;
    return { status: response.statusCode ?? 0, encoding: response.headers['content-encoding'], bytes };
  };
  for (const encoding of encodings) {
    const answer = await ask(encoding);
    expect(answer).toMatchObject({ status: 200, encoding });
    expect(answer.bytes).toBeLessThan(eventBytes);
  }
  return async () => {
    const until = performance.now() + seconds * 1000;
    const send = async (_: unknown, at: number): Promise<void> => {
      const encoding = encodings[at % encodings.length] ?? 'br';
      while (performance.now() < until) expect([200, 429]).toContain((await ask(encoding)).status);
    };
    await Promise.all(Array.from({ length: atOnce }, send));
  };
}

const attack: Attack = {
  title: `${atOnce} callers that have answers of 2 MB compressed, again and again`,
  memoryGrowth: 500,
  prepare,
};
export default attack;
