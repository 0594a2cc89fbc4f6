import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { asIntegrator, createDatabase, requesting, startService, type Integrator, type Service } from '../harness.ts';
import { freePort } from '../processes/npm.ts';

export const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));

export const kontorSecret = 'the secret of the tests, long enough'; // as the harness has it

export interface Served extends Pick<Service, 'request'> {
  url: string;
  /** Who sends to the server's process. */
  acme: Integrator;
  globex: Integrator;
  /** Another one on the same database, in this process, to look behind. */
  beside: Service;
  pid: number;
  /** What the process runs with. */
  env: NodeJS.ProcessEnv;
  /** What the process logged. */
  lines(): string[];
  /** What of it is a fault. */
  faults(): string[];
  /** MiB that the process holds. */
  memory(): number;
  /** Milliseconds of a processor's time that the process has used: unlike the clock, others leave it alone. */
  cpu(): number;
  close(): Promise<void>;
}

/** A server in a process of its own, without a rate limit. `start` works on the queue, too. */
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
  ended.catch(() => {}); // later, it is meant to
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
    faults: () => lines.filter((line) => line.includes('"level":50')),
    memory: () => {
      const [, kib] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
      return Math.round(Number(kib) / 1024);
    },
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

/** The value that so much of the sorted values stays below. */
export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export interface OrdinaryTraffic {
  /** From now on, what is asked is kept under this name. */
  during(phase: string): void;
  /** The milliseconds that each took, by the phase in which it was asked and answered. */
  stop(): Promise<Map<string, number[]>>;
}

/** Asks for a list 50 times a second, whether or not those before are answered: waiting counts, and slows nobody. */
export function ordinaryTraffic(who: Integrator): OrdinaryTraffic {
  const taken = new Map<string, number[]>();
  const asked = new Set<Promise<void>>();
  let phase = '';
  const ask = async (): Promise<void> => {
    const [start, during] = [performance.now(), phase];
    const { status } = await who.rest('GET', '/customers');
    if (status !== 200) throw new Error(`Ordinary traffic was answered ${status}`);
    if (during !== phase) return;
    taken.set(phase, [...(taken.get(phase) ?? []), performance.now() - start]);
  };
  const timer = setInterval(() => {
    const one = ask();
    asked.add(one);
    void one.finally(() => asked.delete(one)).catch(() => {}); // stop() throws it
  }, 20);
  return {
    during: (name) => void (phase = name),
    stop: async () => {
      clearInterval(timer);
      await Promise.all(asked);
      return taken;
    },
  };
}

/** Does `count` things, so many at once, and tells how far it is. */
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
