import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import type { S3Settings } from '../../src/storage/s3-storage.ts';
import { listens } from '../pooler/pgbouncer.ts';
import { freePort } from '../processes/npm.ts';

const program = fileURLToPath(new URL('s3/node_modules/s3rver/bin/s3rver.js', import.meta.url));

/** Whether the tests with an S3 server are left out, because its package is not installed and not required. */
export const noS3Server = !existsSync(program) && process.env['REQUIRE_S3_SERVER'] !== '1';

export interface S3Server {
  settings: S3Settings;
  stop(): Promise<void>;
}

/** An S3 server on loopback with an empty bucket. It checks the id of the access key, but no signature. */
export async function startS3Server(): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-s3-'));
  const port = await freePort();
  const child = spawn(
    process.execPath,
    [
      program,
      '--directory',
      folder,
      '--address',
      '127.0.0.1',
      '--port',
      port,
      '--silent',
      '--configure-bucket',
      'files',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const exited = once(child, 'exit');
  while (!(await listens(Number(port)))) {
    if (child.exitCode !== null) throw new Error(`The S3 server did not start: ${said}`);
    await sleep(20);
  }
  return {
    settings: {
      bucket: 'files',
      prefix: 'of/kontor',
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      credentials: { keyId: 'S3RVER', secretKey: 'S3RVER' },
    },
    stop: async () => {
      child.kill();
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
