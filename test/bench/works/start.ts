import { spawn, type ChildProcess } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { firstLogin } from '../../first-login.ts';
import { manyConnections, median, type Bench, type ComparisonRow, type Work } from '../bench.ts';
import { kontorCommand, stop } from '../contenders.ts';
import { folder } from '../database.ts';
import { trafficTo } from '../race.ts';
import { findFreePort } from '../../../src/database/postgres/free-port.ts';

const dataDir = join(folder, 'start');

/** `npm start` on an embedded database that is there and migrated, until a request with a token is answered. */
export const startUp: Work = {
  name: 'start to first answer',
  async run(bench) {
    await rm(dataDir, { recursive: true, force: true });
    const token = await firstStart();
    const seconds: number[] = [];
    for (let round = 0; round < bench.pace.rounds; round++) {
      bench.say(`${this.name}: round ${round + 1}`);
      const { child, ms } = await startAgain(token);
      seconds.push(ms / 1000);
      await stop(child);
    }
    const time = median(seconds);
    return [{ ...alone(this.name, time, `${time.toFixed(2)} s`), goal: 1.1, atMost: 1.1 }];
  },
};

/** Resident memory of one process that does everything; of one under load, the most it ever took. */
export const memory: Work = {
  name: 'memory',
  async run(bench) {
    await rm(dataDir, { recursive: true, force: true });
    const { child } = await startAgain(await firstStart());
    await sleep(3000);
    const atRest = await megabytes(child.pid ?? 0, 'VmRSS');
    await stop(child);
    const underLoad = await megabytes(await loaded(bench), 'VmHWM');
    return [
      { ...alone('memory at rest', atRest, `${Math.round(atRest)} MB`), goal: 150, atMost: 150 },
      { ...alone('memory under load', underLoad, `${Math.round(underLoad)} MB`), goal: 350, atMost: 350 },
    ];
  },
};

const alone = (work: string, ratio: number, ours: string): ComparisonRow => ({
  work,
  against: '–',
  ours,
  theirs: '',
  ratio,
});

async function loaded(bench: Bench): Promise<number> {
  const kontor = await bench.contender('kontorRest');
  const traffic = trafficTo(kontor, [{ ask: 'invoices', perPage: 100 }], bench.tenant(1000));
  await bench.load('memory under load', traffic, { connections: manyConnections, seconds: 5 });
  return kontor.pid;
}

/** Makes the database and the demo tenant. @returns its token */
async function firstStart(): Promise<string> {
  const { child } = await launch();
  let out = '';
  child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()));
  for (;;) {
    const token = firstLogin(out)?.token;
    if (token) {
      await stop(child);
      return token;
    }
    if (child.exitCode !== null) throw new Error(`Kontor did not start: ${out}`);
    await sleep(20);
  }
}

async function startAgain(token: string): Promise<{ child: ChildProcess; ms: number }> {
  const { child, url } = await launch();
  child.stdout?.resume();
  const start = performance.now();
  for (;;) {
    const answer = await fetch(`${url}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } }).catch(() => null);
    if (answer?.ok) return { child, ms: performance.now() - start };
    if (child.exitCode !== null) throw new Error('Kontor did not start again');
    await sleep(5);
  }
}

async function launch(): Promise<{ child: ChildProcess; url: string }> {
  const port = await findFreePort();
  const child = spawn(process.execPath, [...kontorCommand, 'start'], {
    env: { ...process.env, NODE_ENV: 'production', DATABASE_URL: '', DATA_DIR: dataDir, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return { child, url: `http://127.0.0.1:${port}` };
}

async function megabytes(pid: number, what: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${what}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
}
