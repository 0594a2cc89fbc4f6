import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { ConnectionError, ForbiddenError, ValidationError, type Kontor } from '@kontor/sdk';
import { connect } from './environment.js';
import { startProxy, type Fault } from './proxy.js';

const kontor = connect();

const read = async (chunks: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
};

async function behind(faults: Fault[], test: (kontor: Kontor) => Promise<void>): Promise<void> {
  const proxy = await startProxy(faults);
  try {
    await test(connect({ baseUrl: proxy.url }));
  } finally {
    proxy.close();
  }
}

const list = { type: 'list', resource: 'customers', format: 'csv' } as const;

describe('exports', () => {
  it('run() waits for the end, and readFile() reads the file as it arrives', async () => {
    for (let at = 1; at <= 3; at += 1)
      await kontor.customers.create({ type: 'customer', company_name: `Exported ${at}` });
    const seen: string[] = [];
    const ended = await kontor.exports.run(list, { onProgress: ({ status }) => seen.push(status) });
    assert.deepEqual([ended.status, ended.file_name, seen.at(-1)], ['completed', 'customers.csv', 'completed']);
    const bytes = await read(kontor.exports.readFile(ended.id));
    assert.equal(bytes.length, ended.length);
    assert.equal(createHash('sha256').update(bytes).digest('hex'), ended.sha256);
    assert.deepEqual(
      bytes
        .toString()
        .split('\r\n')
        .slice(0, -1)
        .map((line) => /Exported \d/.exec(line)?.[0]),
      [undefined, 'Exported 1', 'Exported 2', 'Exported 3'],
    );
    assert.equal((await kontor.exports.getFile(ended.id)).size, ended.length);
  });

  it('run() starts one export where the connection breaks', () =>
    behind(['cut'], async (behindProxy) => {
      const before = (await kontor.exports.list()).meta.total;
      assert.equal((await behindProxy.exports.run(list)).status, 'completed');
      assert.equal((await kontor.exports.list()).meta.total, before + 1);
    }));

  it('readFile() throws if the file breaks off', async () => {
    const { id } = await kontor.exports.run(list);
    await behind(['half'], async (behindProxy) => {
      await assert.rejects(async () => read(behindProxy.exports.readFile(id)), ConnectionError);
    });
  });

  it('throws errors of the service', async () => {
    await assert.rejects(async () => kontor.exports.run({ type: 'datev' }), ValidationError);
    const reading = connect({ token: process.env['READING_TOKEN'] ?? '' });
    await assert.rejects(async () => reading.exports.run(list), ForbiddenError);
  });
});
