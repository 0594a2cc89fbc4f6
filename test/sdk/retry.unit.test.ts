import { describe, expect, it } from 'vitest';
import { buildError } from '../../src/sdk/client/response.ts';
import { ConnectionError } from '../../src/sdk/client/errors.ts';
import { defaults } from '../../src/sdk/client/defaults.ts';
import { retryDelay } from '../../src/sdk/client/retry.ts';

const answered = (status: number, retryAfter?: string, date?: string) => {
  const headers = {
    ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
    ...(date !== undefined && { date }),
  };
  return buildError(new Response(null, { status, headers }), '');
};
const lost = new ConnectionError('lost');

const delay = (error = lost, attempt = 1, options: object = {}, method = 'GET', elapsed = 0): number | undefined =>
  retryDelay({ method, error, attempt, elapsed }, { ...defaults, ...options });

/** A matcher: at least this, and at most this much more, by which it is extended at random. */
const about = (milliseconds: number, more = 250) =>
  expect.toSatisfy((value: number) => value >= milliseconds && value <= milliseconds + more);

describe('the delay before the next attempt', () => {
  it('is Retry-After, as seconds or as a date, and never less', () => {
    expect(delay(answered(429, '12'))).toEqual(about(12_000));
    expect(delay(answered(503, '3'))).toEqual(about(3000));
    const date = new Date(Date.now() + 20_000).toUTCString();
    expect(delay(answered(429, date))).toEqual(about(18_000, 3000));
  });

  it.each([-7200, -30, 0, 30, 7200])('is by the clock of who answered, also if it differs by %d seconds', (seconds) => {
    const at = (after: number): string => new Date(Date.now() + (seconds + after) * 1000).toUTCString();
    expect(delay(answered(503, at(20), at(0)))).toEqual(about(19_000, 2000));
    expect(delay(answered(503, '20', at(0)))).toEqual(about(20_000));
    expect(delay(answered(503, at(-5), at(0)))).toEqual(about(0));
    expect(delay(answered(503, 'soon', at(0)))).toEqual(about(500));
  });

  it('is by the own clock where the answer has no date, or none that can be read', () => {
    const date = new Date(Date.now() + 20_000).toUTCString();
    expect(delay(answered(429, date, 'today'))).toEqual(about(18_000, 3000));
  });

  it('doubles with each attempt, up to 30 seconds', () => {
    const patient = { maxRetries: 100, maxRetryTime: Number.POSITIVE_INFINITY };
    expect([1, 2, 3, 4, 50].map((attempt) => delay(lost, attempt, patient))).toEqual([
      about(500, 250),
      about(1000, 500),
      about(2000, 1000),
      about(4000, 2000),
      about(30_000, 15_000),
    ]);
  });

  it('differs at random', () => {
    expect(new Set(Array.from({ length: 20 }, () => delay())).size).toBeGreaterThan(1);
  });

  it('is undefined after maxRetries, or if it would take longer than maxRetryTime', () => {
    expect(delay(lost, 2, { maxRetries: 1 })).toBeUndefined();
    expect(delay(lost, 5)).toBeDefined();
    expect(delay(lost, 6)).toBeUndefined();
    expect(delay(answered(429, '60'), 1, { maxRetryTime: 59_000 })).toBeUndefined();
    expect(delay(answered(429, '60'), 1, {}, 'GET', 100_000)).toBeUndefined();
    expect(delay(answered(429, '60'))).toBeDefined();
  });

  it.each([400, 401, 403, 404, 405, 412, 413, 415, 422])('is undefined after %d, which will not change', (status) => {
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
      expect(delay(answered(status), 1, {}, method)).toBeUndefined();
    }
  });

  it.each([
    ['GET', true],
    ['POST', true],
    ['DELETE', true],
    ['PATCH', false],
  ])('of a %s whose outcome is unknown is defined: %s', (method, isDefined) => {
    for (const error of [lost, answered(500), answered(502), answered(503), answered(504)])
      expect(delay(error, 1, {}, method) !== undefined).toBe(isDefined);
    expect(delay(answered(429), 1, {}, method)).toBeDefined();
  });
});
