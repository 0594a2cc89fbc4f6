import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { zstdCompressSync } from 'node:zlib';
import { expect } from 'vitest';
import type { Integrator } from '../../harness.ts';
import { makeBulkOperation } from '../../resources.ts';
import type { Served } from '../served.ts';
import { size } from '../size.ts';
import type { Attack } from './attack.ts';

const readers = size('READERS', { suite: 40, full: 100 });

/** Results of 120 MB, in parts as long as those of the longest lines. */
const parts = 30;
const part = `${JSON.stringify({ line: 1, status: 422, message: 'x'.repeat(400_000) })}\n`.repeat(10);

async function makeResults(who: Integrator): Promise<string> {
  const id = await makeBulkOperation(who, { slot: null, status: 'COMPLETED', finishedAt: new Date() });
  const content = new Uint8Array(zstdCompressSync(part));
  for (let number = 1; number <= parts; number += 1)
    await who.db.insert({
      BulkChunk: [who.db.row('BulkChunk', { operationId: id, number, firstLine: number, content, done: true })],
    });
  return id;
}

async function prepare({ url }: Served, attacker: Integrator): Promise<() => Promise<void>> {
  const id = await makeResults(attacker);
  const ask = (): Socket => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname).on('error', () => {}); // the server closes it at last
    const head = `Host: ${hostname}\r\nAuthorization: Bearer ${attacker.token}\r\n`;
    socket.write(`GET /api/v1/bulk-operations/${id}/results HTTP/1.1\r\n${head}\r\n`);
    return socket;
  };
  return async () => {
    const sockets = Array.from({ length: readers }, ask);
    const statuses = await Promise.all(
      sockets.map(async (socket) => {
        const data: unknown = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
        socket.pause(); // and reads no more
        const [head] = data as [Buffer | boolean];
        return Buffer.isBuffer(head) ? Number(head.toString('latin1', 9, 12)) : 0;
      }),
    );
    expect(statuses.filter((status) => ![0, 200, 429].includes(status))).toEqual([]);
    expect(statuses).toContain(200);
    expect((await attacker.rest('GET', '/customers')).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  };
}

const attack: Attack = {
  title: `${readers} clients that do not read the results of a bulk operation`,
  memoryGrowth: 450,
  prepare,
};
export default attack;
