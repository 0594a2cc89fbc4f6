import { Console } from 'node:console';
import { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

// A process that runs command lines one after the other. See command-lines.ts.

/** A command line. */
export interface Order {
  args: string[];
  env: NodeJS.ProcessEnv;
  /** The text on its standard input. */
  input?: string;
}

export interface Ended {
  code: number;
  out: string;
  err: string;
}

const cli = new URL('../../src/cli.ts', import.meta.url);

/** Everything that keeps this process alive, one entry each: sockets, timers, files, threads. */
const alive = (): string[] => process.getActiveResourcesInfo();

class Collected extends Writable {
  text = '';
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

const replace = (name: 'stdin' | 'stdout' | 'stderr', value: Readable | Writable): void =>
  void Object.defineProperty(process, name, { value, configurable: true, writable: true });

let runs = 0;
/** Long enough for a busy machine. */
const givenUpAfterMs = 60_000;
const standardError = process.stderr;

async function run({ args, env, input }: Order): Promise<Ended> {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv = [...process.argv.slice(0, 1), cli.pathname, ...args];
  process.exitCode = undefined;
  const [out, err] = [new Collected(), new Collected()];
  replace('stdin', Readable.from(input === undefined ? [] : [Buffer.from(input)]));
  replace('stdout', out);
  replace('stderr', err);
  globalThis.console = new Console({ stdout: out, stderr: err });
  const before = alive().length;
  // The program is made anew; what it imports is loaded once.
  await import(`${cli.href}?run=${(runs += 1)}`);
  const giveUp = performance.now() + givenUpAfterMs;
  while (alive().length > before) {
    await sleep(1);
    if (performance.now() < giveUp) continue;
    standardError.write(`kontor ${args.join(' ')} would not end: ${alive().join(', ')}\n`);
    process.exit(1);
  }
  return { code: Number(process.exitCode ?? 0), out: out.text, err: err.text };
}

process.on('disconnect', () => process.exit());
process.on('message', async (order: Order) => {
  process.send?.(await run(order));
});
process.send?.('ready');
