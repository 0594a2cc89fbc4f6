import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'vitest';
import type { Integrator } from '../../harness.ts';
import { until } from '../../webhooks/receiver.ts';
import type { Served } from '../served.ts';
import { insertInvoices } from '../large-books.ts';
import { size } from '../size.ts';
import type { Attack } from './attack.ts';

const invoices = size('INVOICES', { suite: 5000, full: 100_000 });
const readers = size('READERS', { suite: 40, full: 100 });
const rounds = size('ROUNDS', { suite: 1, full: 3 });

const period = { from: '2026-01-01', to: '2026-12-31' };
const orders = [
  { type: 'list', resource: 'invoices', format: 'xlsx' },
  { type: 'list', resource: 'audit-log', format: 'csv' },
  { type: 'open_items', at: '2026-12-31', format: 'xlsx' },
  { type: 'datev', chart: 'skr03', ...period },
  { type: 'gobd', ...period },
];

/** Starts an export of each type, as many as a tenant may have at once, and waits for their ends. */
async function exportAll(who: Integrator): Promise<string[]> {
  // At once, so that none has ended when one more is refused.
  const ids = await Promise.all(
    orders.map(async (order) => {
      const { status, body } = await who.rest('POST', '/exports', order);
      expect([order.type, status, body.errors]).toEqual([order.type, 201, undefined]);
      return body.data.id as string;
    }),
  );
  expect((await who.rest('POST', '/exports', orders[0])).status).toBe(429);
  await until(
    async () => {
      const { body } = await who.rest('GET', '/exports');
      const mine = (body.data as { id: string; status: string; error: string | null }[]).filter(({ id }) =>
        ids.includes(id),
      );
      expect(mine.filter(({ status }) => status === 'failed')).toEqual([]);
      return mine.every(({ status }) => status === 'completed');
    },
    'the end of the exports',
    300_000,
    250,
  );
  return ids;
}

/** Asks for a file, and reads no more than its beginning. */
async function readBeginning({ url }: Served, { token }: Integrator, id: string): Promise<[Socket, number]> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => {}); // the server closes it at last
  const head = `Host: ${hostname}\r\nAuthorization: Bearer ${token}\r\n`;
  socket.write(`GET /api/v1/exports/${id}/file HTTP/1.1\r\n${head}\r\n`);
  const data: unknown = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  socket.pause();
  const [first] = data as [Buffer | boolean];
  return [socket, Buffer.isBuffer(first) ? Number(first.toString('latin1', 9, 12)) : 0];
}

async function prepare(served: Served, attacker: Integrator): Promise<() => Promise<void>> {
  await insertInvoices(served.beside, attacker, invoices);
  return async () => {
    for (let round = 0; round < rounds; round += 1) {
      const ids = await exportAll(attacker);
      const opened = await Promise.all(
        Array.from({ length: readers }, (_, at) => readBeginning(served, attacker, ids[at % ids.length]!)),
      );
      const statuses = opened.map(([, status]) => status);
      expect(statuses.filter((status) => ![0, 200, 429].includes(status))).toEqual([]);
      expect(statuses).toContain(200);
      for (const [socket] of opened) socket.destroy();
    }
  };
}

const attack: Attack = {
  title: `exports of ${invoices} invoices, and ${readers} clients that do not read their files`,
  works: true,
  memoryGrowth: 600,
  prepare,
};
export default attack;
