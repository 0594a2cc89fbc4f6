import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { injectFaults, startProxied } from './fault-campaign.ts';
import { lostOnTheWay, readOnly, unreachable } from './database-faults.ts';
import { kill } from './kills.ts';
import { stopPostgres, terminateConnections } from './outages.ts';
import { restartInTurns } from './rolling.ts';
import { recoveryMs } from './test-system.ts';

// The short forms of test/reliability/faults.test.ts.

const timeout = 240_000;

describe('a service recovers, and no acknowledged write, no event and no delivery is lost', { timeout }, () => {
  /** One for all faults, whose starts would cost more than the faults do. */
  let proxied: Awaited<ReturnType<typeof startProxied>>;
  beforeAll(async () => {
    proxied = await startProxied();
  }, timeout);
  afterAll(() => proxied.close());

  /** @param fault what interrupts the service, and returns the slowest recovery */
  const recovers = async (fault: () => Promise<number>): Promise<void> => {
    const { load, untilServed } = proxied.system;
    await untilServed();
    const { unavailable, unanswered } = load.faults;
    const acknowledged = load.acknowledged();
    expect(await fault()).toBeLessThan(recoveryMs);
    expect(load.acknowledged()).toBeGreaterThan(acknowledged);
    expect(load.faults.unavailable + load.faults.unanswered).toBeGreaterThan(unavailable + unanswered); // or it interrupted nothing
    expect(load.faults.internal).toBe(0);
  };

  it('when gateways and workers are killed under load', () => recovers(() => kill(proxied.system, 3)));

  it('when PostgreSQL is stopped on the spot under load', () => recovers(() => stopPostgres(proxied.system, 2)));

  it('when all connections are terminated under load', () => recovers(() => terminateConnections(proxied.system, 2)));

  it('when the database is away, lost on the way or read-only, and is told of, and meets its 503s in time', () =>
    recovers(() => injectFaults(proxied, [unreachable, lostOnTheWay, readOnly], 1000)));

  it('as the rows, events, and deliveries show', async () => {
    expect((await proxied.system.settle()).acknowledged).toBeGreaterThan(0);
  });
});

it('a rolling restart: no request fails, and no job is lost', { timeout }, async () => {
  expect((await restartInTurns(2)).acknowledged).toBeGreaterThan(0);
});
