import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Lookup } from '../../src/webhooks/name-lookup.ts';
import { createPoster, success, type Outcome } from '../../src/webhooks/post.ts';
import {
  forever,
  makeIdentities,
  reply,
  startEndpoint,
  writes,
  type Answer,
  type Behaviour,
  type Endpoint,
  type Identities,
} from './endpoints.ts';

// Single attempts at endpoints on real sockets, and what holds for the end of each attempt.

export const kept = 16 * 1024;
/** Timeouts: one to run into, and one that no busy machine runs into. */
export const [short, ample] = [400, 8000];
export const timedOut = 'timed out after 0.4 s';
export const invalid = 'the response is not valid HTTP';
export const tooLong = 'the response headers are longer than 16 KiB';
export const endless = 'the response is endless: more than 128 KiB came, or 1 MiB with TLS, and no end of it';
export const closedEarly = 'the connection was closed before a response came';
export const resetEarly = 'the connection was reset before a response came';
export const closedLate = 'the connection was closed before the response was complete';
export const resetLate = 'the connection was reset before the response was complete';
/** undici may notice either first. */
export const badLength = /not valid HTTP|not as long as its Content-Length/;

export interface Ending {
  status: number | null;
  error: string | RegExp | null;
  success: boolean;
  body?: string | Buffer;
  timeoutMs?: number;
}

export let identities: Identities;
/** Where redirects lead. */
export let target: Endpoint;

/** For a file of tests: starts the target of redirects. */
export function prepareAttempts(): void {
  beforeAll(async () => {
    identities = makeIdentities();
    target = await startEndpoint({ answer: writes(reply(200)) });
  });
  afterAll(() => target.close());
}

export const finding =
  (...addresses: string[]): Lookup =>
  (_name, _options, callback) =>
    void setImmediate(
      callback,
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );
export const failing =
  (code: string): Lookup =>
  (_name, _options, callback) =>
    void setImmediate(callback, Object.assign(new Error(code), { code }), []);

export const sockets = (): number =>
  process.getActiveResourcesInfo().filter((name) => /^(TCPSocketWrap|TLSWrap|TCPConnectWrap)$/.test(name)).length;

export type Settings = Partial<Parameters<typeof createPoster>[0]>;
export const request = { headers: { 'Content-Type': 'application/json' }, body: '{"event":"invoice.paid"}' };

/** One attempt at a URL, and what holds for each of them. */
export async function attempt(url: string, settings: Settings, endpoint?: Endpoint): Promise<Outcome> {
  const timeoutMs = settings.timeoutMs ?? ample;
  const poster = createPoster({ allowInsecure: true, ...settings, timeoutMs });
  try {
    const outcome = await poster.post({ url, ...request });
    expect(outcome.durationMs).toBeLessThan(timeoutMs * 10);
    expect(outcome.startedAt).toBeInstanceOf(Date);
    expect(outcome.responseBody.length).toBeLessThanOrEqual(kept);
    expect(outcome.responseHeaders === null).toBe(outcome.status === null);
    return outcome;
  } finally {
    await poster.close();
    await expect.poll(() => endpoint?.open() ?? 0, { interval: 5, message: 'connections left' }).toBe(0);
    await expect.poll(sockets, { interval: 5, message: 'sockets left' }).toBe(0);
    expect(endpoint?.requests() ?? 0, 'requests').toBeLessThanOrEqual(1);
    expect(target.requests(), 'requests at the target of redirects').toBe(0);
  }
}

export function check(outcome: Outcome, { status, error, success: successful, body }: Ending): void {
  expect({ status: outcome.status, error: outcome.error, success: success(outcome) }).toEqual({
    status,
    error: error instanceof RegExp ? expect.stringMatching(error) : error,
    success: successful,
  });
  if (body !== undefined) expect(outcome.responseBody.equals(Buffer.from(body))).toBe(true);
}

/** An attempt at an endpoint over http, which is known by a name too. */
export async function attemptAt(behaviour: Behaviour, ending: Ending, settings: Settings = {}): Promise<Endpoint> {
  const endpoint = await startEndpoint(behaviour);
  try {
    const { timeoutMs } = ending;
    check(await attempt(`http://127.0.0.1:${endpoint.port}/hook`, { timeoutMs, ...settings }, endpoint), ending);
    return endpoint;
  } finally {
    await endpoint.close();
  }
}

export const accepted = (status: number, body: string | Buffer = ''): Ending => ({
  status,
  error: null,
  success: true,
  body,
});
export const rejected = (status: number, body: string | Buffer = ''): Ending => ({
  ...accepted(status, body),
  success: false,
});
export const fails = (error: string | RegExp, status: number | null = null): Ending => ({
  status,
  error,
  success: false,
});
export const hangs = (status: number | null = null): Ending => ({ ...fails(timedOut, status), timeoutMs: short });

export type AttemptCase = [name: string, answer: Answer, ending: Ending];

export const chunked = 'Transfer-Encoding: chunked';
export const big = Buffer.alloc(1024 * 1024, 'x');
export const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
export const noise = randomBytes(kept + 1);
export const lines = (count: number, length: number): string[] =>
  Array.from({ length: count }, (_each, index) => `X-${index}: ${'v'.repeat(length)}`);

export function* headersForever(): Generator<string> {
  yield 'HTTP/1.1 200 OK\r\n';
  yield* forever('X-A: b\r\n');
}
