import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LinesBody } from '../../src/sdk/client/lines.ts';

// Attempts to send values that end with an error, after a former attempt was given up in the middle of them.

const lost = new Error('The database has gone');

/** Values that wait after some: for ever, or until `fail` is called. */
function failing(): { values: () => AsyncGenerator<object>; fail: () => void } {
  const { promise: failure, reject } = Promise.withResolvers<never>();
  failure.catch(() => {});
  return {
    async *values() {
      for (let number = 0; number < 5000; number += 1) yield { number, text: 'x'.repeat(50) };
      await failure;
    },
    fail: () => reject(lost),
  };
}

/** Reads some chunks, as a connection does that is then lost. */
async function breakOff(body: LinesBody): Promise<void> {
  const reader = ((await body.open()) as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  void reader.read().then(() => reader.read()); // it waits for the next value when the connection is lost
  await sleep(20);
  void reader.cancel().catch(() => {});
}

const readAll = async (body: LinesBody): Promise<number> => {
  let length = 0;
  for await (const chunk of (await body.open()) as ReadableStream<Uint8Array>) length += chunk.length;
  return length;
};

describe('an attempt after one that was given up', () => {
  it('is none with fewer values, where those that can be read once failed in between', async () => {
    const { values, fail } = failing();
    const body = new LinesBody(values());
    await breakOff(body);
    fail();
    await sleep(20);
    await expect(readAll(body)).rejects.toBe(lost);
    await expect(readAll(body)).rejects.toBe(lost);
  });

  it('fails where they fail while it is sent', async () => {
    const { values, fail } = failing();
    const body = new LinesBody(values());
    await breakOff(body);
    const again = readAll(body);
    setTimeout(fail, 50);
    await expect(again).rejects.toBe(lost);
    expect(body.error).toEqual({ cause: lost });
  });

  it('reads values anew that a function gives, whatever became of the former ones', async () => {
    const first = failing();
    let calls = 0;
    const body = new LinesBody(() => (calls++ === 0 ? first.values() : [{ number: 1 }]));
    await breakOff(body);
    const again = readAll(body);
    first.fail();
    expect(await again).toBe('{"number":1}\n'.length);
    await sleep(20);
    expect(body.error).toBeUndefined();
  });
});
