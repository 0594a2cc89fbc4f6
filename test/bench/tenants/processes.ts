import { spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { kontorCommand, stop } from '../contenders.ts';
import { secret, type Installation } from './installation.ts';
import { findFreePort } from '../../../src/database/postgres/free-port.ts';

/** A process of Kontor. */
export interface KontorProcess {
  pid: number;
  url: string;
  /** How long its start took. */
  seconds: number;
  stop(): Promise<void>;
}

/** Settings of all processes. */
export const environment = {
  KONTOR_SECRET: secret,
  RATE_LIMIT_PER_MINUTE: '100000',
  RATE_LIMIT_STORE: 'memory',
  WEBHOOK_ALLOW_INSECURE: '1',
};

/** Starts a process that answers requests, and waits until it is ready. */
export const startServer = (installation: Installation): Promise<KontorProcess> =>
  start(installation, 'serve', async ({ url }) => {
    const response = await fetch(new URL('/health/ready', url)).catch(() => undefined);
    return response?.ok ?? false;
  });

/** Starts a process that runs jobs, and waits until it does. */
export const startWorker = (installation: Installation): Promise<KontorProcess> =>
  start(installation, 'work', async () => {
    const { rows } = await installation.pool.query('select from workers');
    return rows.length > 0;
  });

async function start(
  { url: database, folder }: Installation,
  role: 'serve' | 'work',
  isReady: (started: { url: string }) => Promise<boolean>,
): Promise<KontorProcess> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const errors = join(folder, `${role}.log`);
  const begun = performance.now();
  const child = spawn(process.execPath, [...kontorCommand, role], {
    env: { ...process.env, ...environment, NODE_ENV: 'production', DATABASE_URL: database, PORT: String(port) },
    stdio: ['ignore', 'ignore', openSync(errors, 'w')],
  });
  while (!(await isReady({ url }))) {
    if (child.exitCode !== null) throw new Error(`kontor ${role} stopped: ${readFileSync(errors, 'utf8')}`);
    await sleep(20);
  }
  return { pid: child.pid ?? 0, url, seconds: (performance.now() - begun) / 1000, stop: () => stop(child) };
}

/** The most memory that a process has had, in MB. */
export function peakMemory({ pid }: KontorProcess): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1000;
}
