import { expect, it } from 'vitest';
import { faultCampaign } from '../faults/fault-campaign.ts';
import * as databaseFaults from '../faults/database-faults.ts';
import { kill } from '../faults/kills.ts';
import { stopPostgres, terminateConnections } from '../faults/outages.ts';
import { restartInTurns } from '../faults/rolling.ts';
import { campaign, recoveryMs, told, type Recovered } from '../faults/test-system.ts';
import { say } from './served.ts';

const times = (name: string, usual: number): number => Number(process.env[name] ?? usual);

const [kills, stops, storms] = [times('KILLS', 200), times('STOPS', 50), times('STORMS', 50)];
const restarts = times('RESTARTS', 20);

const usual = { gateways: 2, workers: 1 };

function report(what: string, figures: Recovered & object): void {
  say(`${what}: nothing lost. ${told(figures)}`);
  expect(figures.slowestRecoveryMs).toBeLessThan(recoveryMs);
  expect(figures.unavailable + figures.unanswered).toBeGreaterThan(0); // otherwise the faults interrupted nothing
}

it.skipIf(kills === 0)(`${kills} kills (-9) of gateways and workers under load lose nothing`, async () => {
  report(`${kills} kills`, await campaign({ gateways: 2, workers: 2 }, (system) => kill(system, kills)));
});

it.skipIf(stops === 0)(`${stops} immediate stops of PostgreSQL under load lose nothing`, async () => {
  report(`${stops} stops of PostgreSQL`, await campaign(usual, (system) => stopPostgres(system, stops)));
});

it.skipIf(storms === 0)(`${storms} storms of terminated connections under load lose nothing`, async () => {
  report(`${storms} storms`, await campaign(usual, (system) => terminateConnections(system, storms)));
});

const { unreachable, lostOnTheWay, hanging, slow, readOnly, outOfConnections, outOfDisk } = databaseFaults;

it('the service reports each fault of the database, answers in bounded time, and recovers by itself', async () => {
  const figures = await faultCampaign(
    [unreachable, lostOnTheWay, hanging, slow, readOnly, outOfConnections, outOfDisk],
    12_000,
  );
  report('database faults', figures);
});

it.skipIf(restarts === 0)(`${restarts} rolling restarts under load fail no request and lose no job`, async () => {
  say(`${restarts} restarts: no request failed. ${told(await restartInTurns(restarts))}`);
});
