import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

interface Figures {
  transactions: number;
  megabytes: number;
  grownBy: number;
  residentAtMost: number;
  seconds: number;
}

// One entry with 100,000 details must stay in memory until its end: only then their sum can be compared with its amount.
test.each([
  ['camt053', 50],
  ['mt940', 50],
  ['csv', 50],
  ['batch', 150],
])('%s: a statement of 100,000 transactions is read in bounded memory', { timeout: 120_000 }, async (format, bound) => {
  const script = fileURLToPath(new URL('large-statement.ts', import.meta.url));
  const { stdout } = await run(process.execPath, ['--expose-gc', script, format, '100000']);
  const figures = JSON.parse(stdout) as Figures;
  const { transactions, megabytes, grownBy, residentAtMost, seconds } = figures;
  process.stdout.write(
    `${format}: ${megabytes.toFixed(0)} MB in ${seconds.toFixed(1)} s, ${(megabytes / seconds).toFixed(0)} MB/s; ` +
      `memory grown by ${grownBy.toFixed(0)} MB, resident ${residentAtMost.toFixed(0)} MB at most\n`,
  );
  expect(transactions).toBe(100_000);
  expect(megabytes).toBeGreaterThan(35);
  expect(grownBy).toBeLessThan(bound);
});
