import { describe, expect, it } from 'vitest';
import { injectFaults } from './fault-campaign.ts';
import { lostOnTheWay, readOnly, unreachable } from './database-faults.ts';
import { kill } from './kills.ts';
import { stopPostgres, terminateConnections } from './outages.ts';
import { restartInTurns } from './rolling.ts';
import { recoveryMs, type Recovered } from './test-system.ts';

// The short forms of test/reliability/faults.test.ts.

const few = { gateways: 1, workers: 1 };

function recovered({ slowestRecoveryMs, acknowledged, unavailable, unanswered, internal }: Recovered): void {
  expect(slowestRecoveryMs).toBeLessThan(recoveryMs);
  expect(acknowledged).toBeGreaterThan(0);
  expect(unavailable + unanswered).toBeGreaterThan(0); // or it interrupted nothing
  expect(internal).toBe(0);
}

describe('no acknowledged write, no event and no delivery is lost', { timeout: 240_000 }, () => {
  it('when gateways and workers are killed under load', async () => recovered(await kill(3, few)));

  it('when PostgreSQL is stopped on the spot under load', async () => recovered(await stopPostgres(2, few)));

  it('when all connections are terminated under load', async () => recovered(await terminateConnections(2, few)));
});

it(
  'a database that is away, lost on the way or read-only is told of, meets its 503s in time, and is forgiven',
  { timeout: 240_000 },
  async () => {
    const { slowestRecoveryMs } = await injectFaults([unreachable, lostOnTheWay, readOnly], 1000);
    expect(slowestRecoveryMs).toBeLessThan(recoveryMs);
  },
);

it('a rolling restart: no request fails, and no job is lost', { timeout: 240_000 }, async () => {
  expect((await restartInTurns(2)).acknowledged).toBeGreaterThan(0);
});
