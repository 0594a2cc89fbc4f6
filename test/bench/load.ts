import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { folder } from './database.ts';
import type { Request } from './dialects.ts';

// The load generator is wrk: one on Node takes as much CPU time as the contenders, which levels their ratios. Whatever
// knows wrk is here and in wrk.lua.

const run = promisify(execFile);

export interface Order {
  /** Of contenders on this machine; with several, each gets an equal part of the connections. */
  urls: string[];
  /** Sent in turn. */
  requests: (Request & { token: string })[];
  connections: number;
  /** Whole seconds. */
  seconds: number;
  /** How long each connection pauses before a request, in milliseconds, on average. By default it doesn't. */
  pauseMs?: number;
  /** Ends the load before its time. */
  until?: Promise<unknown>;
}

/** How long answers took, in milliseconds. */
export interface Latency {
  median: number;
  p99: number;
  worst: number;
}

export interface Outcome {
  requests: number;
  perSecond: number;
  latency: Latency;
}

/** @throws Error where wrk is missing */
export async function requireWrk(): Promise<void> {
  // It has no option that only prints its version: with this one it does, and complains about the missing address.
  await run('wrk', ['--version']).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new Error('The benchmark needs wrk as its load generator: apt-get install wrk');
  });
}

/** @throws Error where a request was answered with an error, or not at all */
export async function load(
  name: string,
  { urls, requests, connections, seconds, pauseMs = 0, until }: Order,
): Promise<Outcome> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `requests-${randomUUID()}`);
  writeFileSync(file, requests.map(toHttp).join('\0'));
  const script = fileURLToPath(new URL('wrk.lua', import.meta.url));
  const running = run(
    'wrk',
    ['-c', connections, '-t', urls.length, '-d', seconds, '--timeout', 60, '-s', script, ...urls.slice(0, 1)].map(
      String,
    ),
    { env: { REQUESTS: file, PORTS: urls.map((url) => new URL(url).port).join(), PAUSE: String(pauseMs) } },
  );
  void until?.then(() => running.child.kill('SIGINT'));
  const { stdout, stderr } = await running.finally(() => rmSync(file));
  const [line = ''] = stdout.trimEnd().split('\n').slice(-1);
  if (!line.startsWith('{')) throw new Error(`${name}: wrk could not run its script: ${stderr}`);
  const measured = JSON.parse(line) as Record<
    'seconds' | 'requests' | 'failed' | 'medianMs' | 'p99Ms' | 'worstMs',
    number
  >;
  if (measured.failed > 0) throw new Error(`${name}: ${measured.failed} requests failed`);
  return {
    requests: measured.requests,
    perSecond: measured.requests / measured.seconds,
    latency: { median: measured.medianMs, p99: measured.p99Ms, worst: measured.worstMs },
  };
}

function toHttp({ method, path, body, token }: Order['requests'][number]): string {
  const text = body ? JSON.stringify(body) : '';
  const content = body ? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`] : [];
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: Bearer ${token}`, ...content];
  return `${lines.join('\r\n')}\r\n\r\n${text}`;
}
