import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { compileCache } from '../compile-cache.ts';
import { freePort, nodeOptions } from '../processes/npm.ts';
import { until } from '../webhooks/receiver.ts';

const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));

/** The line that it prints once it can be used. */
const says = /Kontor (is running|answers|works)/;

/** The same for all processes on one database. */
export const secret = 'the secret of the tests, long enough';

/** A process of Kontor, as a supervisor keeps it: started again, at the same address, whenever the test has ended it. */
export interface Kontor {
  /** Where it listens, if it serves. */
  url: string;
  /** Of its last start. */
  pid(): number;
  /** Since it was last started. */
  running(): boolean;
  /** Its standard error, since it was first started. */
  complaints(): string;
  /** The lines of its log that tell of faults, and of answers that could not be given. */
  faults(): string[];
  start(): Promise<void>;
  kill(): Promise<void>;
  /** SIGTERM. @returns once it has ended, its code */
  stop(): Promise<number | null>;
}

/**
 * @param command `start` serves and works, `serve` only serves, `work` only works
 * @param before a program, and its arguments, that becomes the process
 * @param version the cli.ts of another version than this one
 */
export async function kontor(
  command: 'start' | 'serve' | 'work',
  databaseUrl: string,
  settings: Record<string, string> = {},
  before: readonly string[] = [],
  version: string = cli,
): Promise<Kontor> {
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    KONTOR_SECRET: secret,
    PORT: await freePort(),
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'error',
    NODE_COMPILE_CACHE: compileCache, // starts are most of what a campaign of kills costs
    ...settings,
  };
  const url = `http://127.0.0.1:${env.PORT}`;
  const faults: string[] = [];
  let complaints = '';
  let child: ChildProcess | undefined;

  const running = (): boolean => child !== undefined && child.exitCode === null && child.signalCode === null;
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> => {
    if (!child || !running()) return child?.exitCode ?? null;
    const exit = once(child, 'exit');
    child.kill(signal);
    const [code] = (await exit) as [number | null];
    return code;
  };
  return {
    url,
    pid: () => child?.pid ?? 0,
    running,
    complaints: () => complaints,
    faults: () => faults,
    start: async () => {
      let said = '';
      const [program = '', ...args] = [...before, process.execPath, ...nodeOptions, version, command];
      child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
      child.stdout?.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        for (const line of chunk.toString().split('\n')) if (/"level":[45]0/.test(line)) faults.push(line);
      });
      child.stderr?.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
      await until(() => says.test(said) || !running(), `kontor ${command} to start`, 240_000).catch((error: Error) => {
        throw new Error(`${error.message}: ${said} ${complaints}`, { cause: error });
      });
      if (!running()) throw new Error(`kontor ${command} did not start: ${complaints}`);
    },
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  };
}
