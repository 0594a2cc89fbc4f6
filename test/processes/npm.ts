import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '../../src/database/postgres/free-port.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The arguments of `node` in package.json's script `kontor`. */
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { kontor: string } };
const [, ...kontorScript] = scripts.kontor.split(' ');
export const nodeOptions = kontorScript.slice(0, -1);

export interface Run {
  child: ChildProcess;
  pid: number;
  /** Standard output and standard error so far. */
  out: () => string;
  err: () => string;
  /** Waits until the output matches. */
  until(pattern: RegExp, ms?: number): Promise<RegExpExecArray>;
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** To the whole process group, as a terminal's Ctrl-C does. */
  killGroup(signal: NodeJS.Signals): void;
}

/** Starts `npm …` in the project's folder or a copy of it, in a process group of its own. */
export const npm = (args: string[], env: Record<string, string> = {}, input?: string, folder = root): Run =>
  start('npm', args, env, input, folder);

/** The same for a line of shell, with a terminal as its standard output. */
export const inTerminal = (line: string, env: Record<string, string> = {}): Run =>
  start('script', ['-qefc', line, '/dev/null'], env);

/** @param input for standard input; null keeps it open for the caller */
function start(command: string, args: string[], env: Record<string, string>, input?: string | null, cwd = root): Run {
  const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
  const child = spawn(command, args, {
    cwd,
    env: { ...clean, ...env },
    detached: true,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  if (input !== null) child.stdin?.end(input);
  let out = '';
  let err = '';
  child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const exited = once(child, 'exit').then(async ([code, signal]) => {
    // The last of its output may still have to be read. A process that it left behind may keep its output open.
    await Promise.race([closed, sleep(2000, undefined, { ref: false })]);
    if (err.includes('DeprecationWarning')) throw new Error(`The next version of a package breaks this:\n${err}`);
    return { code: code as number | null, signal: signal as NodeJS.Signals | null };
  });
  const pid = child.pid ?? 0;
  return {
    child,
    pid,
    out: () => out,
    err: () => err,
    exited,
    until: async (pattern, ms = 60_000) => {
      const giveUp = Date.now() + ms;
      for (;;) {
        const match = pattern.exec(out);
        if (match) return match;
        if (child.exitCode !== null || Date.now() > giveUp) throw new Error(`No ${pattern} in:\n${out}\n${err}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    killGroup: (signal) => {
      try {
        process.kill(-pid, signal);
      } catch {
        // gone already
      }
    },
  };
}

/** Starts `npm run -s kontor -- …`, whose standard input stays open. */
export const startKontor = (args: string[], env: Record<string, string>): Run =>
  start(process.execPath, [...kontorScript, ...args], env, null);

/** The same on a terminal: what is written to its standard input are keys. */
export const startKontorInTerminal = (args: string[], env: Record<string, string>): Run =>
  start('script', ['-qefc', [process.execPath, ...kontorScript, ...args].join(' '), '/dev/null'], env, null);

/**
 * `npm run -s kontor -- …` to its end, as npm runs it and without the time that npm itself takes.
 * @param input what it is given on standard input
 */
export async function kontor(
  args: string[],
  env: Record<string, string>,
  input?: string,
): Promise<{ code: number | null; out: string; err: string }> {
  const run = start(process.execPath, [...kontorScript, ...args], env, input);
  const { code } = await run.exited;
  return { code, out: run.out(), err: run.err() };
}

export const freePort = async (): Promise<string> => String(await findFreePort());

export async function dataFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'kontor-data-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
