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

it.each([
  ['closed', (controller: ReadableByteStreamController) => controller.close()],
  ['broken', (controller: ReadableByteStreamController) => controller.error(new TypeError('network error'))],
])('a stream that is %s right after an item is opened again: a busy page reads both at once', async (_, end) => {
  const item = new TextEncoder().encode('event: next\ndata: {"data":{"changed":1}}\n\n');
  let opened = 0;
  vi.stubGlobal('fetch', () => {
    opened += 1;
    let sent = false;
    const body = new ReadableStream({
      type: 'bytes',
      pull: (controller) => {
        if (sent) return end(controller);
        sent = true;
        controller.enqueue(item);
      },
    });
    return Promise.resolve(new Response(body, { headers: { 'Content-Type': 'text/event-stream' } }));
  });
  const client = createClient(undefined, () => Promise.resolve());
  const results: unknown[] = [];
  const { unsubscribe } = client
    .subscription(gql('subscription { changed }'), {})
    .subscribe(({ data, error }) => results.push(error ?? data));
  await vi.advanceTimersByTimeAsync(60 * seconds);
  unsubscribe();
  expect(opened).toBeGreaterThan(2);
  expect(new Set(results.map((result) => JSON.stringify(result)))).toEqual(new Set(['{"changed":1}']));
});
