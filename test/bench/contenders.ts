import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { folder } from './database.ts';
import { byHand, kontorGraphql, postgraphile, rest, sofa, type Dialect } from './dialects.ts';
import { findFreePort } from '../../src/database/postgres/free-port.ts';

export interface Contender {
  name: string;
  /** The file that node runs, and its environment besides DATABASE_URL and PORT. */
  run: string[];
  env?: Record<string, string>;
  dialect: Dialect;
}

const ours = (name: string): string => fileURLToPath(new URL(`contenders/${name}.ts`, import.meta.url));

const root = new URL('../../', import.meta.url);
const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { scripts: { kontor: string } };

/** The arguments that `npm run kontor` gives to node, flags included. */
export const kontorCommand = scripts.kontor
  .split(' ')
  .slice(1)
  .map((part) => (part.startsWith('-') ? part : fileURLToPath(new URL(part, root))));

/** As in production, with the limit raised as far as it goes. */
const kontor = (store: string, role = 'serve') => ({
  run: [...kontorCommand, role],
  env: {
    KONTOR_SECRET: 'a secret that keeps no secrets here',
    RATE_LIMIT_PER_MINUTE: '100000',
    RATE_LIMIT_STORE: store,
    WEBHOOK_ALLOW_INSECURE: '1',
  },
});

// To add one: a server in contenders/ that takes DATABASE_URL and PORT, a line here, and its key in the works it is for.
export const contenders = {
  kontorRest: { name: 'Kontor REST', ...kontor('memory'), dialect: rest },
  kontorGraphql: { name: 'Kontor GraphQL', ...kontor('memory'), dialect: kontorGraphql },
  kontorLimits: { name: 'Kontor REST, limits in PostgreSQL', ...kontor('postgres'), dialect: rest },
  kontorSecond: { name: 'Kontor REST, a second process', ...kontor('postgres'), dialect: rest },
  fastifyPg: { name: 'Fastify + pg', run: [ours('fastify-pg')], dialect: byHand },
  fastifyPrisma: { name: 'Fastify + Prisma', run: [ours('fastify-prisma')], dialect: byHand },
  postgraphile: {
    name: 'PostGraphile 5',
    run: [ours('postgraphile')],
    env: { GRAPHILE_ENV: 'production' },
    dialect: postgraphile,
  },
  sofa: { name: 'SOFA', run: [ours('sofa')], dialect: sofa },
} satisfies Record<string, Contender>;

/** The process that takes jobs from the queue. */
export type Worker = Omit<Contender, 'dialect'>;
export const kontorWorker: Worker = { name: 'Kontor', ...kontor('memory', 'work') };
export const barePipeline: Worker = { name: 'bare pipeline', run: [ours('bare-pipeline')] };
export const bareBatches: Worker = { ...barePipeline, name: 'the same, jobs in batches', env: { LOCAL_QUEUE: '1' } };

export type ContenderName = keyof typeof contenders;

export interface Running extends Contender {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

/** Starts a contender in a process of its own, logging to nowhere, and waits until it answers. */
export async function start(contender: Contender, databaseUrl: string): Promise<Running> {
  const port = await findFreePort();
  const errors = join(folder, 'stderr.log');
  const child = spawn(process.execPath, contender.run, {
    env: { ...process.env, NODE_ENV: 'production', ...contender.env, DATABASE_URL: databaseUrl, PORT: String(port) },
    stdio: ['ignore', 'ignore', openSync(errors, 'w')],
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await fetch(url).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error(`${contender.name} stopped: ${readFileSync(errors, 'utf8')}`);
    await sleep(20);
  }
  return { ...contender, url, pid: child.pid ?? 0, stop: () => stop(child) };
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), 5000);
  await once(child, 'exit');
  clearTimeout(force);
}
