import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { gql } from 'urql';
import { createClient } from '../../src/dashboard/api/client.ts';

const seconds = 1000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('a stream that has lost the server waits longer each time, but never much longer than 30 seconds', async () => {
  const tries: number[] = [];
  vi.stubGlobal('fetch', () => {
    tries.push(Date.now());
    return Promise.reject(new TypeError('Failed to fetch'));
  });
  const client = createClient(undefined, () => Promise.resolve());
  const { unsubscribe } = client.subscription(gql('subscription { changed }'), {}).subscribe(() => {});
  await vi.advanceTimersByTimeAsync(30 * 60 * seconds);
  unsubscribe();
  const waits = tries.slice(1).map((at, index) => at - (tries[index] ?? 0));
  expect(waits[0]).toBeLessThan(5 * seconds);
  expect(waits[4]).toBeGreaterThan(10 * seconds);
  expect(Math.max(...waits)).toBeLessThan(34 * seconds);
  expect(tries.length).toBeGreaterThan(50);
});
