import { readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { defaultTimeouts } from '../../src/server/http/timeouts.ts';
import { makeCustomer } from '../graphql/books.ts';
import { beset } from '../sockets/strangers.ts';
import { until } from '../webhooks/receiver.ts';
import { ordinaryTraffic, quantile, say, serve, type Served } from './served.ts';

const each = Number(process.env['SOCKETS'] ?? 1000);
/** The limit is 5000 connections. */
const atOnce = 1000;
/** The time within which each is closed. Node checks its timeouts every 5 seconds, and the machine is busy. */
const longestMs = defaultTimeouts.headMs + 5000 + 15_000;

it(`${each} misused connections of each kind are closed in bounded time, and other tenants are served`, async () => {
  // The heap is small: if the server kept anything of each connection, it would run out of memory.
  // All connections come from one address, so the limit per address is off.
  const served = await serve('serve', { NODE_OPTIONS: '--max-old-space-size=160', CONNECTIONS_PER_ADDRESS: '0' });
  onTestFinished(served.close);
  const { acme, globex, beside } = served;
  await Promise.all(Array.from({ length: 20 }, () => makeCustomer(globex)));
  const tell = (): string => `${served.memory()} MiB, ${sockets(served)} sockets`;
  await beset(served, globex, { each: each / 10, atOnce }); // warms up: memory grows to its usual size
  const ordinary = ordinaryTraffic(acme);
  ordinary.during('without');
  await sleep(5000);
  const before = { sockets: sockets(served), memory: served.memory() };
  ordinary.during('beside');
  const fates = await beset(served, globex, { each, atOnce, tell });
  ordinary.during('after');
  await until(() => sockets(served) <= before.sockets, 'the server to close its ends', 30_000);
  const traffic = await ordinary.stop();
  const after = { sockets: sockets(served), memory: served.memory() };

  for (const [name, { closed, longestMs: longest, heard }] of fates)
    say(`  ${name}: ${closed} closed, within ${(longest / 1000).toFixed(1)} s; heard ${JSON.stringify(heard)}`);
  const summary = (values: number[] = []): string =>
    `median ${quantile(values, 0.5).toFixed(1)} ms, p99 ${quantile(values, 0.99).toFixed(1)} ms`;
  say(`ordinary traffic: ${summary(traffic.get('without'))} without, ${summary(traffic.get('beside'))} beside them`);
  say(`sockets: ${before.sockets} before, ${after.sockets} after; memory: ${before.memory} and ${after.memory} MiB`);
  for (const [name, { closed, wrong, longestMs: longest }] of fates) {
    expect({ name, closed, wrong }).toEqual({ name, closed: each, wrong: new Set() });
    expect(longest, `the longest of those: ${name}`).toBeLessThan(longestMs);
  }
  expect(served.loggedErrors()).toEqual([]);
  expect(after.memory).toBeLessThan(400); // MiB
  const { rows } = await beside.pool.query(
    `select count(*)::int as count from pg_stat_activity where state like 'idle in transaction%' and pid <> pg_backend_pid()`,
  );
  expect(rows, 'transactions left open').toEqual([{ count: 0 }]);
});

/** The number of the process's open sockets. */
function sockets({ pid }: Served): number {
  const targets = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return ''; // closed meanwhile
    }
  });
  return targets.filter((target) => target.startsWith('socket:')).length;
}
