import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'vitest';
import type { Integrator } from '../../harness.ts';
import { makeEvents } from '../../answers/large.ts';
import type { Served } from '../served.ts';
import { size } from '../size.ts';
import type { Attack } from './attack.ts';

const readers = size('READERS', { suite: 14, full: 100 });

/** An answer of 8 MB, from a list and from a document. */
const events = 4;
const eventBytes = 2_000_000;

function ask({ url }: Served, { token }: Integrator, index: number): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => {}); // the server closes it at last
  const head = `Host: ${hostname}\r\nAuthorization: Bearer ${token}\r\n`;
  const body = JSON.stringify({ query: `{ events(first: ${events}) { nodes { body } } }` });
  if (index % 2) socket.write(`GET /api/v1/events?per_page=${events} HTTP/1.1\r\n${head}\r\n`);
  else
    socket.write(
      `POST /graphql HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  return socket;
}

async function prepare(served: Served, attacker: Integrator): Promise<() => Promise<void>> {
  await makeEvents(attacker, events, eventBytes);
  return async () => {
    const sockets = Array.from({ length: readers }, (_, index) => ask(served, attacker, index));
    const statuses = await Promise.all(
      sockets.map(async (socket) => {
        const [head] = (await once(socket, 'data')) as [Buffer];
        socket.pause(); // and reads no more
        return Number(head.toString('latin1', 9, 12));
      }),
    );
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
    expect(statuses).toContain(429);
    expect((await attacker.rest('GET', '/customers')).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  };
}

const attack: Attack = {
  title: `${readers} clients that do not read their answers of 8 MB`,
  memoryGrowth: 900,
  prepare,
};
export default attack;
