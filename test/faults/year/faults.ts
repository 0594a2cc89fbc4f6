import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { until } from '../../webhooks/receiver.ts';
import { fillDisk } from '../database-faults.ts';
import type { Kontor } from '../processes.ts';
import type { Installation } from './installation.ts';

/** A fault, from its beginning to its end. What has to follow unaided is not part of it. */
export interface Fault {
  name: string;
  times: number;
  /** Whether only requests fail that were in progress when it began. */
  onlyInFlight?: true;
  strike(installation: Installation): Promise<void>;
}

/** systemd waits for so long: docker/kontor.service. */
const restartMs = 2000;
const hour = 3600;

async function replace(process: Kontor): Promise<void> {
  await process.kill();
  await sleep(restartMs);
  await process.start();
}

/** The processes that a process has started. */
function children(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}

/** The reason that a server reports why it is not ready; undefined if it is. */
export async function reasonOf({ url }: Kontor): Promise<string | undefined> {
  const response = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(10_000) });
  const { message } = (await response.json()) as { message?: string };
  return response.status === 200 ? undefined : (message ?? '');
}

/** Expects servers to report it within the time in which any request is answered. */
const untilReported = ({ servers }: Installation, reason: RegExp): Promise<void> =>
  until(
    async () => (await Promise.all(servers.map(reasonOf))).every((each) => each !== undefined && reason.test(each)),
    `servers to report ${reason.source}`,
    15_000,
    200,
  );

const clock = (whose: 'server' | 'worker', hours: number): Fault => ({
  name: `clock of a ${whose} ${hours > 0 ? 'forward' : 'back'} an hour, and again right`,
  times: 1,
  strike: async ({ clocks }) => {
    await clocks[whose].set(hours * hour);
    await sleep(12_000);
    await clocks[whose].set(0);
    await sleep(2000); // until it is noticed
  },
});

export const faults: Fault[] = [
  { name: 'none', times: 1, strike: () => sleep(10_000) },
  {
    name: 'process of a server killed',
    times: 2,
    onlyInFlight: true,
    strike: async ({ servers }) => {
      const victim = servers[Math.floor(Math.random() * servers.length)]!;
      const before = children(victim.pid());
      process.kill(before[Math.floor(Math.random() * before.length)]!, 'SIGKILL');
      await until(() => children(victim.pid()).filter((pid) => !before.includes(pid)).length === 1, 'its replacement');
    },
  },
  {
    name: 'server killed',
    times: 1,
    onlyInFlight: true,
    strike: ({ servers }) => replace(servers[Math.floor(Math.random() * servers.length)]!),
  },
  { name: 'worker killed', times: 1, onlyInFlight: true, strike: ({ workers: [first] }) => replace(first!) },
  {
    name: 'PostgreSQL restarted, fast',
    times: 2,
    strike: async ({ postgres }) => {
      await postgres.stopFast();
      await postgres.start();
    },
  },
  {
    name: 'PostgreSQL stopped immediately, away for 5 s',
    times: 2,
    strike: async ({ postgres }) => {
      await postgres.stopImmediately();
      await sleep(5000);
      await postgres.start();
    },
  },
  {
    name: 'pooler restarted',
    times: 2,
    strike: async ({ pooler }) => {
      await pooler.stop();
      await pooler.start();
    },
  },
  {
    name: 'pooler away for 5 s',
    times: 1,
    strike: async ({ pooler }) => {
      await pooler.stop();
      await sleep(5000);
      await pooler.start();
    },
  },
  {
    name: 'disk of PostgreSQL full',
    times: 1,
    strike: async (installation) => {
      const { disks, postgres } = installation;
      const empty = await fillDisk(disks.database);
      await untilReported(installation, /no room left|does not answer/);
      await sleep(8000);
      await empty();
      await postgres.start().catch(() => {}); // it may have ended itself, when there was no room for its log
    },
  },
  {
    name: 'disk of files full',
    times: 1,
    strike: async ({ disks, tenants: [first] }) => {
      const empty = await fillDisk(disks.files);
      const refused = (): number => first!.uploader!.answers.filter(({ outcome }) => outcome === 'unavailable').length;
      const before = refused();
      await until(() => refused() > before + 3, 'uploads to be refused', 30_000);
      await sleep(5000);
      await empty();
    },
  },
  clock('server', 1),
  clock('server', -1),
  clock('worker', 1),
  clock('worker', -1),
  {
    name: 'name server silent',
    times: 1,
    strike: async ({ nameServer }) => {
      nameServer.be('is silent');
      await sleep(15_000);
      nameServer.be('answers');
    },
  },
  {
    name: 'name server fails',
    times: 1,
    strike: async ({ nameServer }) => {
      nameServer.be('fails');
      await sleep(10_000);
      nameServer.be('answers');
    },
  },
  {
    name: 'certificate of receivers expired',
    times: 1,
    strike: async ({ useReceiverCertificate }) => {
      useReceiverCertificate('expired');
      await sleep(10_000);
      useReceiverCertificate('good');
    },
  },
  {
    name: 'certificate of PostgreSQL expired',
    times: 1,
    strike: async (installation) => {
      const { useCertificate, postgres } = installation;
      await useCertificate('expired');
      await sleep(1000); // connections that there are last
      expect(await Promise.all(installation.servers.map(reasonOf))).toEqual([undefined, undefined]);
      await postgres.terminateAll();
      await untilReported(installation, /certificate/);
      await sleep(5000);
      await useCertificate('good');
    },
  },
];
