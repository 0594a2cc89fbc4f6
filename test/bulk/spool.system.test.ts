import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { kontor } from '../faults/processes.ts';
import { createDatabase, startService } from '../harness.ts';
import { until } from '../webhooks/receiver.ts';

it('what uploads have left of a process that was killed is deleted by the next start; the upload can be repeated', async () => {
  const database = await createDatabase();
  const beside = await startService({ database });
  const folder = await mkdtemp(join(tmpdir(), 'spool-'));
  const server = await kontor('serve', database.url, { TMPDIR: folder });
  onTestFinished(async () => {
    await server.kill();
    await beside.close();
    await database.drop();
    await rm(folder, { recursive: true });
  });
  const who = await beside.integrator();
  await server.start();
  const url = `${server.url}/api/v1/bulk-operations?resource=customers&action=create`;
  const authorization = `Bearer ${who.token}`;
  for (const key of ['a', undefined]) {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => {});
    const keyed = key === undefined ? '' : `Idempotency-Key: ${key}\r\n`;
    socket.write(
      `POST ${new URL(url).pathname}${new URL(url).search} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n` +
        `${keyed}Content-Type: application/jsonl\r\nContent-Length: 100\r\n\r\n{"type"`,
    );
    await once(socket, 'connect');
  }
  await until(async () => (await readdir(folder)).length === 2, 'two uploads to begin');
  await server.kill();
  expect(await readdir(folder)).toHaveLength(2);
  await server.start();
  expect(await readdir(folder)).toEqual([]);
  expect([await who.db.bulkOperation.count(), await who.db.storedResponse.count()]).toEqual([0, 0]);
  const headers = { authorization, 'idempotency-key': 'a', 'content-type': 'application/jsonl' };
  const body = '{"type":"customer","company_name":"Acme"}\n';
  for (let time = 0; time < 2; time += 1)
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(201);
  expect(await who.db.bulkOperation.count()).toBe(1);
  expect(await readdir(folder)).toEqual([]);
  expect(server.faults()).toEqual([]);
});
