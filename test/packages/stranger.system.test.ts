import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../harness.ts';
import { versions } from '../releases/descriptions.ts';
import { nodes } from './nodes.ts';
import { startWithWorker } from '../with-worker.ts';

// A stranger's programs, with the packages that they were written for, against today's service: each release keeps its own
// (src/dev/release.ts), and today's have those that the next release will keep.

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const released = versions.map((version) => ({ version, from: path(`../releases/${version}/packages/`) }));
const all = [...released.filter(({ from }) => existsSync(from)), { version: 'to come', from: path('stranger/') }];

interface Ended {
  code: unknown;
  out: string;
  err: string;
}

let service: Service;
startWithWorker((started) => (service = started));

it('each version after 0 has its packages', () => {
  expect(released.filter(({ version, from }) => !version.startsWith('0.') && !existsSync(from))).toEqual([]);
});

describe.each(all)('the programs for version $version', ({ version, from }) => {
  let folder: string;
  /** Runs a program in the folder, with nothing of this project around it. */
  const run = async (file: string, args: string[], env: Record<string, string> = {}): Promise<Ended> =>
    new Promise((resolve) => {
      const bin = [join(folder, 'node_modules/.bin'), dirname(nodes[0]?.path ?? ''), process.env['PATH']];
      const own = { PATH: bin.join(delimiter), HOME: folder, LANG: 'C.UTF-8', ...env };
      execFile(file, args, { cwd: folder, env: own }, (error, out, err) =>
        resolve({ code: error ? error.code : 0, out, err }),
      );
    });
  const asked = async (): Promise<Record<string, string>> => ({
    KONTOR: service.url,
    TOKEN: (await service.integrator({ name: 'Acme' })).token,
  });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kontor-stranger-'));
    await cp(from, folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
    if (!existsSync(join(folder, 'sdk.tgz')))
      for (const name of ['sdk.tgz', 'cli.tgz'])
        await writeFile(join(folder, name), (await fetch(`${service.url}/downloads/${name}`)).body ?? '');
    // There is no registry, nor anything else to ask.
    const offline = ['--offline', '--registry', 'http://127.0.0.1:9'];
    const installed = await run('npm', ['install', '--silent', '--no-audit', ...offline, './sdk.tgz', './cli.tgz']);
    if (installed.code !== 0) throw new Error(installed.err);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('is the package of that version', async () => {
    const { out } = await run('kontor', ['--version']);
    if (version !== 'to come') expect(out.trim()).toBe(version);
  });

  it.concurrent('the program that uses the SDK runs', async () => {
    expect(await run('node', ['program.js'], await asked())).toEqual({ code: 0, out: 'done\n', err: '' });
  });

  it.concurrent('the script that uses the command line runs', async () => {
    expect(await run('sh', ['script.sh'], await asked())).toEqual({ code: 0, out: 'done\n', err: '' });
  });
});
