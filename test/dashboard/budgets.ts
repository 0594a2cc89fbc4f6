import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { print } from '../../src/commands/output.ts';
import { startOwnServer } from '../own-server.ts';
import { waitUntilIdle } from './app.ts';
import { launch } from './browser.ts';

// Measures the dashboard's budgets, in a real browser on a quiet machine: `node test/dashboard/budgets.ts`. Nothing fails by it.

const many = 10_000;
const rounds = 5;
const dataDir = await mkdtemp(join(tmpdir(), 'kontor-budgets-'));
const { child, address, token, email, password } = await startOwnServer(dataDir);
const browser = await launch();

/** Adds customers, so that their list has more than 10,000. */
async function addMany(): Promise<void> {
  for (let at = 0; at < many; at += 100) {
    const items = Array.from({ length: 100 }, (_, next) => ({
      company_name: `Customer ${String((at + next) * 7919 + 1).padStart(9, '0')}`,
      type: 'customer',
    }));
    const response = await fetch(`${address}/api/v1/customers/batch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ items, atomic: true }),
    });
    if (!response.ok) throw new Error(await response.text());
  }
}

async function signIn(page: Page): Promise<void> {
  await page.goto('/');
  await page.locator('input[type=email]').fill(email);
  await page.locator('input[type=password]').fill(password);
  await page.locator('button[type=submit]').click();
  await page.waitForURL(/[\da-f-]{36}/);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await waitUntilIdle(page);
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

async function inContext<Result>(
  state: Awaited<ReturnType<BrowserContext['storageState']>> | undefined,
  steps: (page: Page) => Promise<Result>,
): Promise<Result> {
  const viewport = { width: 1440, height: 900 };
  const context = await browser.newContext({ baseURL: address, viewport, ...(state && { storageState: state }) });
  try {
    return await steps(await context.newPage());
  } finally {
    await context.close();
  }
}

/** Loads the overview without a cache. @returns milliseconds until something is painted, and until all of it is; bytes */
const loadCold = async (page: Page): Promise<{ first: number; whole: number; bytes: number }> => {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  let bytes = 0;
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  const start = performance.now();
  await page.goto('/');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await waitUntilIdle(page);
  const whole = performance.now() - start;
  const first = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN);
  return { first, whole, bytes };
};

/** Sorts the list by a click. @returns milliseconds until the new rows are painted */
const sort = async (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const rows = (): string => document.querySelector('tbody')?.textContent ?? '';
    const before = rows();
    const start = performance.now();
    document.querySelector<HTMLElement>('thead button')?.click();
    const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));
    while (rows() === before || document.querySelector('tbody [class*=Skeleton]')) await frame();
    await frame();
    return performance.now() - start;
  });

try {
  await addMany();
  const state = await inContext(undefined, async (page) => {
    await signIn(page);
    return page.context().storageState();
  });
  const loads = [];
  for (let round = 0; round < rounds; round += 1) loads.push(await inContext(state, loadCold));
  const sorts = await inContext(state, async (page) => {
    await page.goto('/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.goto(`${new URL(page.url()).pathname}/customers`);
    await page
      .getByText(/10[.,]\d{3}/)
      .first()
      .waitFor();
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await waitUntilIdle(page);
      times.push(await sort(page));
    }
    return times;
  });
  const ms = (values: number[]): string => `${Math.round(median(values))} ms`;
  const say = (name: string, figure: string, budget: string): void => print(`${name}: ${figure} (at most ${budget})`);
  print(`Medians of ${rounds}. Load ${(loadavg()[0] ?? 0).toFixed(1)} on ${cpus().length} cores.`);
  say('first paint, cold', ms(loads.map(({ first }) => first)), '1000 ms');
  print(`whole overview, cold: ${ms(loads.map(({ whole }) => whole))}`);
  say('over the wire, cold', `${Math.round(median(loads.map(({ bytes }) => bytes)) / 1000)} kB`, '280 kB');
  say('a list of 10,000, sorted', ms(sorts), '400 ms');
} finally {
  await browser.close();
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
  await rm(dataDir, { recursive: true, force: true });
}
