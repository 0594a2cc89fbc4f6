import { expect } from 'vitest';
import type { Integrator } from '../../harness.ts';
import * as sample from '../../rest/samples.ts';
import type { Served } from '../served.ts';
import { size } from '../size.ts';
import type { Attack } from './attack.ts';

const mebibytes = size('MEBIBYTES', { suite: 60, full: 200 });

const mebibyte = 1024 * 1024;
const line = `${JSON.stringify({ ...sample.customer, city: 'x'.repeat(200) })}\n`;

/** A body of that many MiB, made as it is sent. */
function makeBody(piece: Buffer<ArrayBuffer>): ReadableStream<Uint8Array> {
  let left = mebibytes;
  return new ReadableStream({
    pull: (controller) => {
      if (left-- > 0) controller.enqueue(piece);
      else controller.close();
    },
  });
}

/** As many whole lines as fit into a MiB. */
const lines = Buffer.from(line.repeat(Math.floor(mebibyte / line.length)));

async function send({ url }: Served, { token }: Integrator, piece: Buffer<ArrayBuffer>, key?: string): Promise<number> {
  const request: RequestInit & { duplex: 'half' } = {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/jsonl',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: makeBody(piece),
    duplex: 'half', // is missing in TypeScript's types
  };
  const response = await fetch(`${url}/api/v1/bulk-operations?resource=customers&action=create`, request);
  await response.arrayBuffer();
  return response.status;
}

async function prepare(served: Served, attacker: Integrator): Promise<() => Promise<void>> {
  return async () => {
    const valid = await Promise.all([send(served, attacker, lines), send(served, attacker, lines, 'a')]);
    expect(valid).toEqual([201, 201]);
    const useless = [Buffer.alloc(mebibyte, 'x'), Buffer.alloc(mebibyte, '\n'), Buffer.alloc(mebibyte)];
    const statuses = await Promise.all(useless.map((piece, at) => send(served, attacker, piece, String(at))));
    expect(statuses).toEqual([422, 422, 422]);
  };
}

const attack: Attack = {
  title: `bulk operations of ${mebibytes} MiB, some of them one line, or empty lines`,
  memoryGrowth: 350,
  prepare,
};
export default attack;
