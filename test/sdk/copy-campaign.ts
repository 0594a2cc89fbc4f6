import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { resources } from '../../schema/resource-list.ts';
import { readResources } from '../changes/copy.ts';
import { createDatabase, startService, type Integrator } from '../harness.ts';
import { freePort } from '../processes/npm.ts';
import { cli, kontorSecret } from '../reliability/served.ts';
import { samples } from '../resources.ts';
import { projectWithSdk } from './project.ts';

const example = fileURLToPath(new URL('../../src/pages/guides/syncing/keep-a-copy.js', import.meta.url));
/** How many changes are made at the same time. */
const writers = 4;

/**
 * Changes books at random while the guide's program keeps a copy of them. Both the server that the program reads from and the
 * program are killed again and again. Fails unless the copy equals the books in the end.
 */
export async function copyCampaign(changes: number, kills: number): Promise<void> {
  const [project, database] = await Promise.all([projectWithSdk(), createDatabase()]);
  // Changes are made by a service in this process, so that all of them are known to be done.
  const service = await startService({ database });
  const acme = await service.integrator();
  const port = await freePort();
  const settings = {
    DATABASE_URL: database.url,
    KONTOR_SECRET: kontorSecret,
    PORT: port,
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'error',
  };
  const server = new Killable([cli, 'serve'], process.cwd(), settings);
  await cp(example, join(project.folder, 'keep-a-copy.js'));
  const consumer = new Killable(['keep-a-copy.js'], project.folder, {
    KONTOR: `http://127.0.0.1:${port}`,
    TOKEN: acme.token,
  });
  try {
    let begun = 0;
    let killed = 0;
    let restart: Promise<void> | undefined;
    const write = async (): Promise<void> => {
      while (begun < changes) {
        begun += 1;
        await changeAtRandom(acme);
        if (restart || killed === kills || begun < (changes * (killed + 1)) / (kills + 1)) continue;
        killed += 1;
        restart = (killed % 2 === 0 ? server : consumer).restart();
        await restart;
        restart = undefined;
      }
    };
    await Promise.all(Array.from({ length: writers }, write));
    expect(killed).toBe(kills);
    const books = await readResources(acme);
    expect(books.size).toBeGreaterThan(0);
    await expect.poll(() => copyIn(project.folder), { timeout: 120_000 }).toEqual(books);
  } finally {
    await consumer.kill();
    await server.kill();
    await service.close();
    await database.drop();
    await project.remove();
  }
}

const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(Math.random() * items.length)];

/** Creates a row of any resource, or updates or deletes one of the newest. What the state of a row forbids does nothing. */
async function changeAtRandom(who: Integrator): Promise<void> {
  const resource = pick(resources)!;
  if (Math.random() < 0.4) {
    // A row that the new one refers to may have been deleted meanwhile.
    await samples[resource.model].make(who).catch((error: unknown) => {
      if (!String(error).includes('There is no such')) throw error;
    });
    return;
  }
  const { data } = (await who.rest('GET', `/${resource.path}`)).body;
  const row = pick<{ id: string }>(data);
  if (!row) return;
  const path = `/${resource.path}/${row.id}`;
  const { status } = await (Math.random() < 0.5
    ? who.rest('DELETE', path)
    : who.rest('PATCH', path, { [resource.name === 'project' ? 'name' : 'company_name']: `Renamed ${Math.random()}` }));
  expect([200, 204, 404, 405, 422]).toContain(status);
}

/** A process that is killed without a chance to clean up. */
class Killable {
  readonly #start: () => ChildProcess;
  #child: ChildProcess;

  constructor(args: string[], cwd: string, env: Record<string, string>) {
    this.#start = () =>
      spawn(process.execPath, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] });
    this.#child = this.#start();
  }

  async kill(): Promise<void> {
    const { exitCode } = this.#child;
    if (exitCode !== null) throw new Error(`The process had ended with ${exitCode}`);
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }

  async restart(): Promise<void> {
    await this.kill();
    this.#child = this.#start();
  }
}

/** The program's copy, by resource and id. */
function copyIn(folder: string): Map<string, unknown> {
  const db = new DatabaseSync(join(folder, 'copy.db'), { readOnly: true });
  try {
    const rows = db.prepare('select resource, id, data from copy').all();
    return new Map(rows.map(({ resource, id, data }) => [`${resource} ${id}`, JSON.parse(String(data))]));
  } finally {
    db.close();
  }
}
