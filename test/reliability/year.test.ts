import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { readResources } from '../changes/copy.ts';
import { Caller } from '../faults/year/clients.ts';
import { faults } from '../faults/year/faults.ts';
import { clients, startInstallation, webhooks, type Installation } from '../faults/year/installation.ts';
import { print, tabulate, type Phase } from '../faults/year/table.ts';
import { expectNothingLost, untilDrained } from '../faults/oracle.ts';
import { kontor } from '../processes/npm.ts';
import { secret } from '../faults/processes.ts';
import { told } from '../faults/test-system.ts';
import { until } from '../webhooks/receiver.ts';
import { processTree, readMemory, say } from './served.ts';

// The faults of a year, one after the other, on an installation as OPERATING.md shows it.

/** A process answers in this time. nginx asks another process once more for what may be repeated. */
const deadlineMs = 15_000;
const longestMs = 2 * deadlineMs;
/** Far more than it takes, as the machine may be busy. */
const recoveryMs = 90_000;
/** Only those whose name has this, if given. */
const wanted = process.env['FAULT'] ?? '';
const rounds = Number(process.env['ROUNDS'] ?? 1);

interface Consumption {
  mebibytes: number;
  connections: number;
}

async function measure({ postgres, servers, workers }: Installation): Promise<Consumption> {
  const pids = [...servers, ...workers].flatMap((each) => processTree(each.pid()));
  const [{ connections }] = await postgres.query(`
    select count(*)::int as connections from pg_stat_activity
    where backend_type = 'client backend' and pid <> pg_backend_pid()`);
  return { mebibytes: Math.round(pids.reduce((sum, pid) => sum + readMemory(pid), 0) / 1024), connections };
}

/** Waits until every tenant has written, read, and followed. @returns how long that took */
async function untilServed({ tenants }: Installation): Promise<number> {
  const begun = performance.now();
  const all = tenants.flatMap(({ writer, reader, follower, uploader }) => [writer, reader, follower, uploader]);
  const isServed = (): boolean =>
    all.every((client) => client?.answers.some(({ at, outcome }) => at >= begun && outcome === 'done') ?? true);
  await until(isServed, 'all clients to be served', recoveryMs).catch((error: unknown) => {
    for (const client of all) if (client) say(JSON.stringify([client.answers.slice(-3), client.wrong.slice(0, 3)]));
    throw error;
  });
  return performance.now() - begun;
}

it('nothing acknowledged is lost or doubled by the faults of a year, and no request hangs', async () => {
  const installation = await startInstallation();
  onTestFinished(installation.close);
  const { postgres, tenants, servers, workers, url } = installation;
  await untilServed(installation);
  await sleep(10_000); // warms up

  const phases: Phase[] = [];
  let before: Consumption | undefined;
  for (let round = 1; round <= rounds; round += 1) {
    for (const { name, times, strike } of faults) {
      if (name !== 'none' && !name.includes(wanted)) continue;
      const from = performance.now();
      let recoveredMs = 0;
      for (let time = 1; time <= times; time += 1) {
        await strike(installation);
        recoveredMs = Math.max(recoveredMs, await untilServed(installation));
        await sleep(2000);
      }
      phases.push({ fault: name, from, to: performance.now(), recoveredMs });
      say(`year: ${name}, recovered in ${Math.round(recoveredMs)} ms`);
      before ??= await measure(installation);
    }
  }
  await sleep(10_000);
  const after = await measure(installation);

  await Promise.all(
    tenants.flatMap(({ writer, reader, uploader }) => [writer.stop(), reader.stop(), uploader?.stop()]),
  );
  await untilDrained(postgres, 300_000);
  await Promise.all(tenants.map(({ follower }) => follower.stop()));
  const rows = await tabulate(installation, phases);
  for (const line of print(rows)) say(line);
  say(`year: before ${JSON.stringify(before)}, after ${JSON.stringify(after)}`);
  const logged = Map.groupBy(
    [...servers, ...workers].flatMap((each) => each.faults()).filter((line) => line.includes('"level":50')),
    (line) => /"msg":"[^"\\]{0,60}/.exec(line)?.[0].replaceAll(/[\d.]+/g, '…'),
  );
  for (const [what, { length }] of logged) say(`year: logged ${length} times ${what}`);

  const merged = {
    writes: tenants.flatMap(({ writer }) => writer.writes),
    wrong: tenants.flatMap(({ writer, reader, follower, uploader }) =>
      [writer, reader, follower, uploader].flatMap((client) => client?.wrong ?? []),
    ),
    faults: { unavailable: 0, unanswered: 0, internal: 0 },
    acknowledged: () => merged.writes.filter(({ acknowledged }) => acknowledged).length,
    longestMs: () => Math.max(...rows.map(({ slowestMs }) => slowestMs)),
  };
  const figures = await expectNothingLost(postgres, merged, { requests: installation.received() }, webhooks);
  say(`year: ${told(figures)}`);
  expect(figures.failed, 'deliveries given up').toBe(0);
  expect(merged.writes.filter(({ acknowledged }) => !acknowledged)).toEqual([]);

  for (const { token, follower } of tenants) {
    await follower.copy.follow();
    expect(follower.copy.rows).toEqual(await readResources(new Caller(url, token)));
  }
  for (const { id } of tenants) {
    const files = `file://${installation.disks.files}/files`;
    const settings = { DATABASE_URL: postgres.url, KONTOR_SECRET: secret, FILES_URL: files };
    const verified = await kontor(['verify', '--tenant', id], settings);
    say(`year: ${verified.out}${verified.err}`.trimEnd());
    expect(verified).toMatchObject({ code: 0, err: '' });
  }
  for (const row of rows) {
    const { onlyInFlight, times } = faults.find(({ name }) => name === row.fault)!;
    expect(row).toMatchObject({ internal: 0, lost: 0, doubled: 0 });
    expect(row, 'no request hangs').toSatisfy(({ slowestMs }) => slowestMs < longestMs);
    if (onlyInFlight)
      expect(row, 'only requests in progress fail').toSatisfy(
        ({ unavailable, resets }) => unavailable + resets <= clients * times,
      );
  }
  expect(after.mebibytes).toBeLessThan(before!.mebibytes * 1.3);
  expect(after.connections).toBeLessThanOrEqual(before!.connections * 1.3);
});
