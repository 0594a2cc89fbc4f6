import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { adapt, listens } from '../pooler/pgbouncer.ts';
import { freePort } from '../processes/npm.ts';

/** Set where the tests behind nginx must not be left out: `.ci/run`. */
const requireNginx = process.env['REQUIRE_NGINX'] === '1';

/** Debian's nginx, or another named by NGINX. */
const program = process.env['NGINX'] ?? '/usr/sbin/nginx';

const isInstalled = (): boolean => spawnSync(program, ['-v']).status === 0;

/** Whether there is nothing to test with, and nobody minds. */
export const noNginx = !isInstalled() && !requireNginx;

export interface Nginx {
  url: string;
  /** Its access log. */
  readLog(): Promise<string>;
  close(): Promise<void>;
}

/** nginx before two processes, by the example for operators. */
export async function startNginx([first = '', second = '']: string[]): Promise<Nginx> {
  if (!isInstalled()) throw new Error('REQUIRE_NGINX is set, and nginx is missing');
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'kontor-nginx-'));
  await chmod(folder, 0o755); // its process is nobody's, and keeps long bodies there
  const example = await readFile(new URL('../../docker/nginx.conf', import.meta.url), 'utf8');
  const log = join(folder, 'access.log');
  const server = adapt(example, [
    [/\/var\/log\/nginx\/kontor\.log/, log],
    [/127\.0\.0\.1:4000/, new URL(first).host],
    [/127\.0\.0\.1:4001/, new URL(second).host],
    [/listen 8080/, `listen 127.0.0.1:${port}`],
  ]);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const file = join(folder, 'nginx.conf');
  await writeFile(
    file,
    `daemon off; pid ${folder}/pid; error_log stderr error; worker_processes 1; events {}
     http { access_log off; ${paths.join(' ')}\n${server} }`,
  );
  const child = spawn(program, ['-c', file, '-p', folder, '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const exited = once(child, 'exit');
  while (!(await listens(Number(port)))) {
    if (child.exitCode !== null) throw new Error(`nginx did not start: ${said}`);
    await sleep(20);
  }
  return {
    url: `http://127.0.0.1:${port}`,
    readLog: () => readFile(log, 'utf8'),
    close: async () => {
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}
