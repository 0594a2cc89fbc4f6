import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { asIntegrator, createDatabase, requesting, startService, type Integrator, type Service } from '../harness.ts';
import { freePort } from '../processes/npm.ts';

export const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));

export const kontorSecret = 'the secret of the tests, long enough'; // the same as in the harness

export interface Served extends Pick<Service, 'request'> {
  url: string;
  /** Sends requests to the server's process. */
  acme: Integrator;
  globex: Integrator;
  /** Another service on the same database, in this process, to inspect the database. */
  beside: Service;
  pid: number;
  /** The process's environment. */
  env: NodeJS.ProcessEnv;
  /** The process's log. */
  lines(): string[];
  /** The logged errors. */
  loggedErrors(): string[];
  /** The memory of the process and of those that it started, in MiB. */
  memory(): number;
  /** The process's CPU time in milliseconds. Unlike wall-clock time, it doesn't depend on other processes. */
  cpu(): number;
  close(): Promise<void>;
}

/** A server in its own process, without a rate limit. `start` also runs a worker. */
export async function serve(
  command: 'serve' | 'start' = 'serve',
  settings: Record<string, string> = {},
): Promise<Served> {
  const database = await createDatabase();
  const beside = await startService({ database });
  const env = {
    ...process.env,
    DATABASE_URL: database.url,
    KONTOR_SECRET: kontorSecret,
    PORT: await freePort(),
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'error',
    ...settings,
  };
  const child = spawn(process.execPath, [cli, command], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
  const url = `http://127.0.0.1:${env.PORT}`;
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`The server ended with ${code}`)));
  ended.catch(() => {}); // close() ends it later
  while (!lines.join('').includes(url)) await Promise.race([once(child.stdout, 'data'), ended]);
  const request = requesting(url);
  return {
    url,
    request,
    pid: child.pid!,
    env,
    lines: () => lines.join('').split('\n'),
    acme: asIntegrator({ request, books: beside.books }, await beside.integrator()),
    globex: asIntegrator({ request, books: beside.books }, await beside.integrator({ name: 'Globex' })),
    beside,
    loggedErrors: () => lines.filter((line) => line.includes('"level":50')),
    memory: () => Math.round(sum(processTree(child.pid!).map(readMemory)) / 1024),
    cpu: () => {
      const [, , , , , , , , , , , , , user, system] = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(' ');
      return (Number(user) + Number(system)) * 10; // ticks, 100 a second
    },
    close: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
      await beside.close();
      await database.drop();
    },
  };
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);

/** A process and all processes below it. One that has ended meanwhile counts as none. */
export function processTree(pid: number): number[] {
  const threads = tryTo(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  const children = threads.flatMap((thread) => {
    const ids = tryTo(() => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')) ?? '';
    return ids.split(' ').filter(Boolean).map(Number);
  });
  return [pid, ...children.flatMap(processTree)];
}

/** A process's resident memory in KiB; 0 if it has ended. */
export function readMemory(pid: number): number {
  const status = tryTo(() => readFileSync(`/proc/${pid}/status`, 'utf8')) ?? '';
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
}

function tryTo<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The quantile of the values: `share` of them are smaller. */
export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export interface OrdinaryTraffic {
  /** Starts a phase: further requests are recorded under this name. */
  during(phase: string): void;
  /** The duration of each request in milliseconds, by the phase in which it was sent and answered. */
  stop(): Promise<Map<string, number[]>>;
}

/** Requests a list 50 times a second, without waiting for earlier answers. */
export function ordinaryTraffic(who: Integrator): OrdinaryTraffic {
  const taken = new Map<string, number[]>();
  const pending = new Set<Promise<void>>();
  let phase = '';
  const sendRequest = async (): Promise<void> => {
    const [start, during] = [performance.now(), phase];
    const { status } = await who.rest('GET', '/customers');
    if (status !== 200) throw new Error(`Ordinary traffic was answered ${status}`);
    if (during !== phase) return;
    taken.set(phase, [...(taken.get(phase) ?? []), performance.now() - start]);
  };
  const timer = setInterval(() => {
    const one = sendRequest();
    pending.add(one);
    void one.finally(() => pending.delete(one)).catch(() => {}); // stop() rejects with it
  }, 20);
  return {
    during: (name) => void (phase = name),
    stop: async () => {
      clearInterval(timer);
      await Promise.all(pending);
      return taken;
    },
  };
}

/** Calls `act` `count` times, `atOnce` of them concurrently, and prints its progress. */
export async function campaign(
  name: string,
  count: number,
  atOnce: number,
  act: (index: number) => Promise<void>,
  tell: () => string = () => '',
): Promise<void> {
  let next = 0;
  const begun = performance.now();
  const work = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      if (index > 0 && index % 2000 === 0) {
        const seconds = Math.round((performance.now() - begun) / 1000);
        say(`${name}: ${index} of ${count}, ${seconds} s ${tell()}`);
      }
      await act(index);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

export const say = (line: string): void => void process.stderr.write(`${line}\n`);
