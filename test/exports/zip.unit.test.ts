import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { zipChunks } from '../../schema/exports/zip.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const used = (): number => {
  collect();
  collect(); // The buffers of the first one are swept by another thread, which the second one waits for.
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

it('keeps little more than the name of an entry that is written', async () => {
  const content = Buffer.alloc(2000, 'content');
  const counted: number[] = [];
  const chunks = zipChunks(async (zip) => {
    for (let at = 0; at < 1500; at += 1) {
      if (at === 500) counted.push(used());
      await zip.add(`documents/2025-${at}.pdf`, eachOf(content));
    }
    counted.push(used());
  });
  for await (const chunk of chunks) expect(chunk.length).toBeGreaterThan(0);
  const [before = 0, after = 0] = counted;
  expect((after - before) / 1000).toBeLessThan(3000);
});

async function* eachOf(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}
