import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { version } from '../../schema/version.ts';
import { createToken } from '../../src/identity/index.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { work } from '../webhooks/receiver.ts';
import { noNodes, nodes } from './nodes.ts';

// The packages that an installation offers, in an empty folder: downloaded from it, installed, and run against it, by each
// version of Node that they are for.

const root = fileURLToPath(new URL('../../', import.meta.url));
let service: Service;
let acme: Integrator;
let worker: Awaited<ReturnType<typeof work>>;
let folder: string;
const acmeName = 'Acme';

interface Ended {
  code: number;
  out: string;
  err: string;
}

/** Runs a program in the folder. @param input for standard input */
async function run(file: string, args: string[], env: Record<string, string> = {}, input = ''): Promise<Ended> {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_|VITEST|KONTOR_)/.test(name));
  return new Promise((resolve) => {
    const options = { cwd: folder, env: { ...Object.fromEntries(own), ...env } };
    const child = execFile(file, args, options, (error, out, err) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, out, err }),
    );
    child.stdin?.end(input);
  });
}

const cli = (): string => join(folder, 'node_modules/@kontor/cli/dist/start.js');
const configOf = (name: string): Record<string, string> => ({ XDG_CONFIG_HOME: join(folder, name) });

beforeAll(async () => {
  [service, folder] = await Promise.all([startService(), mkdtemp(join(tmpdir(), 'kontor-packages-'))]);
  acme = await service.integrator();
  worker = await work(service);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  const tarballs = ['sdk', 'cli'].map((name) => `${service.url}/downloads/${name}.tgz`);
  // Nothing but the tarballs is asked for: there is no registry.
  const registry = ['--registry', 'http://127.0.0.1:9', '--fetch-retries', '0'];
  const installed = await run('npm', ['install', '--silent', '--no-audit', ...registry, ...tarballs]);
  if (installed.code !== 0) throw new Error(installed.err);
});
afterAll(async () => {
  await worker.stop();
  await service.close();
  await rm(folder, { recursive: true });
});

describe.each(['sdk', 'cli'])('/downloads/%s.tgz', (name) => {
  it('is a file with length, type, and validator, also for HEAD', async () => {
    const url = `${service.url}/downloads/${name}.tgz`;
    const got = await fetch(url);
    const bytes = Buffer.from(await got.arrayBuffer());
    expect(got.status).toBe(200);
    expect(Object.fromEntries(got.headers)).toMatchObject({
      'content-type': 'application/gzip',
      'content-length': String(bytes.length),
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'kontor-version': version,
    });
    const etag = got.headers.get('etag') ?? '';
    expect(etag).not.toBe('');
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      String(bytes.length),
      '',
    ]);
    expect((await fetch(url, { headers: { 'if-none-match': etag } })).status).toBe(304);
    for (const path of ['x.tgz', '%2e%2e%2f%2e%2e%2fcli.ts', `${name}.tgz/x`])
      expect([path, (await fetch(`${service.url}/downloads/${path}`)).status]).not.toEqual([path, 200]);
  });

  it('has a manifest that can be published, a licence, a readme, and no dependencies', async () => {
    const installed = join(folder, 'node_modules/@kontor', name);
    const manifest: unknown = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({
      name: `@kontor/${name}`,
      version,
      license: 'MIT',
      type: 'module',
      engines: { node: '>=20' },
      publishConfig: { access: 'public', provenance: true },
    });
    expect(manifest).not.toHaveProperty('dependencies');
    expect(manifest).not.toHaveProperty('scripts');
    expect(await readFile(join(installed, 'LICENSE'), 'utf8')).toContain('MIT License');
    expect(await readFile(join(installed, 'README.md'), 'utf8')).toContain(`# @kontor/${name}`);
  });
});

it('built again, the packages have the same bytes', async () => {
  const out = await mkdtemp(join(tmpdir(), 'kontor-packed-'));
  onTestFinished(() => rm(out, { recursive: true }));
  expect(await run(process.execPath, [join(root, 'src/packages/build.ts'), '--out', out])).toMatchObject({ code: 0 });
  for (const name of ['sdk', 'cli']) {
    const served = Buffer.from(await (await fetch(`${service.url}/downloads/${name}.tgz`)).arrayBuffer());
    expect([name, (await readFile(join(out, `kontor-${name}.tgz`))).equals(served)]).toEqual([name, true]);
  }
});

it('the SBOM has what is installed and what is bundled, and no build tools', async () => {
  const out = await mkdtemp(join(tmpdir(), 'kontor-sbom-'));
  onTestFinished(() => rm(out, { recursive: true }));
  const sbom = join(root, 'src/packages/sbom.ts');
  expect(await run(process.execPath, [sbom, '--out', out])).toMatchObject({ code: 0, err: '' });
  const bom = JSON.parse(await readFile(join(out, 'sbom.cdx.json'), 'utf8')) as {
    bomFormat: string;
    metadata: { component: { name: string; version: string } };
    components: { name: string; version: string; hashes: { alg: string }[] }[];
  };
  expect(bom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'kontor', version } } });
  expect(bom).not.toHaveProperty('serialNumber');
  const names = bom.components.map(({ name }) => name);
  // Of the server, the dashboard, the command line, and the pages.
  expect(names).toEqual(
    expect.arrayContaining(['graphql-yoga', 'react', 'commander', '@scalar/fastify-api-reference']),
  );
  for (const tool of ['vite', 'typescript', 'prisma', 'vitest', 'oxlint']) expect(names).not.toContain(tool);
  expect(bom.components.filter(({ hashes }) => hashes[0]?.alg !== 'SHA-512')).toEqual([]);
  expect(await readFile(join(out, 'THIRD-PARTY.txt'), 'utf8')).toMatch(/^react \d+\.\d+\.\d+ \(MIT\)$/m);
});

const program = `import { Kontor, KontorError } from '@kontor/sdk';
const kontor = new Kontor({ baseUrl: process.env['KONTOR'] ?? '', token: process.env['TOKEN'] ?? '' });
const customer = await kontor.customers.create({ type: 'customer', company_name: 'Bäckerei' });
const names = [];
for await (const { id, company_name } of kontor.customers.list()) if (id === customer.id) names.push(company_name);
const missing = await kontor.customers.get(crypto.randomUUID()).catch((error) => error instanceof KontorError);
console.log(names.join(), missing);
`;

it('a strict TypeScript program compiles with the SDK', async () => {
  const typed = program
    .replace('const names = []', 'const names: string[] = []')
    .replace('(error)', '(error: unknown)');
  await writeFile(
    join(folder, 'typed.ts'),
    `${typed}\n// @ts-expect-error\nawait kontor.customers.create({ type: 1 });\n`,
  );
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['typed.ts'] }));
  const compiled = await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc')]);
  expect(compiled).toEqual({ code: 0, out: '', err: '' });
});

it.skipIf(noNodes)('the packages are tried on Node 20, 22, and 24', () => {
  expect(nodes.map((node) => node.version)).toEqual(['20', '22', '24']);
});

describe.each(nodes)('on Node $version', ({ version: name, path }) => {
  const config = (): Record<string, string> => configOf(`on-${name}`);
  const kontor = (args: string[], input?: string): Promise<Ended> => run(path, [cli(), ...args], config(), input);

  it('a program uses the SDK', async () => {
    await writeFile(join(folder, 'plain.js'), program);
    const ended = await run(path, ['plain.js'], { KONTOR: service.url, TOKEN: acme.token });
    expect(ended).toEqual({ code: 0, out: 'Bäckerei true\n', err: '' });
  });

  it('the command line logs in, keeps the token to itself, and works with each kind of command', async () => {
    const login = await kontor(['login', '--url', service.url], `${acme.token}\n`);
    expect(login).toEqual({
      code: 0,
      out: `Logged in to ${acmeName} at ${service.url}. The profile "default" is now used by default.\n`,
      err: '',
    });
    expect((await stat(join(folder, `on-${name}/kontor/profiles.json`))).mode & 0o777).toBe(0o600);
    expect(await kontor(['profiles'])).toEqual({ code: 0, out: `*\tdefault\t${service.url}\n`, err: '' });

    const made = await kontor(['create', 'projects', '--name', `On ${name}`, '--json']);
    const { id } = JSON.parse(made.out) as { id: string };
    const timed = ['create', 'time-entries', '--project-id', id, '--date', '2026-03-02', '--duration-minutes', '90'];
    // As numbers, not as texts: Node 20 can't read their digits by itself.
    expect(await kontor([...timed, '--json'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/"duration_minutes":90[,}]/),
    });
    const query = [
      'graphql',
      'query ($id: UUID!) { project(id: $id) { name } }',
      '--variables',
      JSON.stringify({ id }),
    ];
    expect(await kontor(query)).toEqual({ code: 0, out: `{"project":{"name":"On ${name}"}}\n`, err: '' });
    expect(await kontor(['graphql', '-'], '{ nothing }')).toMatchObject({ code: 5, out: '' });
    const hook = ['create', 'webhooks', '--data', '{"url":"https://example.com/hook"}', '--json'];
    const hooked = await kontor(hook);
    expect([hooked.code, hooked.err]).toEqual([0, '']);
    const { id: hookId } = JSON.parse(hooked.out) as { id: string };
    expect(await kontor(['delete', 'webhooks', hookId])).toEqual({ code: 0, out: `Deleted: ${hookId}\n`, err: '' });
    const bulk = await kontor(['bulk', 'customers', 'create', '-'], '{"type":"customer","company_name":"In bulk"}\n');
    expect(bulk).toMatchObject({ code: 0 });
    const doctor = await kontor(['doctor', '--json']);
    expect([
      doctor.code,
      (JSON.parse(doctor.out) as { check: string; ok: boolean }[]).map(({ check, ok }) => [check, ok]),
    ]).toEqual([
      0,
      [
        ['address', true],
        ['version', true],
        ['clock', true],
        ['token', true],
      ],
    ]);
  });

  it('a build’s documents are registered, listed, and deleted, as the guide for front ends says', async () => {
    const env = { KONTOR_URL: service.url, KONTOR_TOKEN: acme.token, ...configOf('none') };
    const document = `query Own { me { tenant { name } } } # ${path}`;
    const hash = createHash('sha256').update(document).digest('hex');
    await writeFile(join(folder, 'manifest.json'), JSON.stringify({ [hash]: document }));
    const documents = (...args: string[]): Promise<Ended> => run(path, [cli(), 'documents', ...args], env);
    expect(await documents('push', 'manifest.json')).toMatchObject({
      code: 0,
      out: '1 documents are registered, 1 of them newly.\n',
    });
    expect((await documents('list')).out).toMatch(new RegExp(`^${hash}\t`));
    expect(await documents('delete', hash)).toMatchObject({ code: 0, out: `Document ${hash} is deleted.\n` });
    expect(await documents('delete', hash)).toMatchObject({ code: 4 });
  });

  it('events are forwarded to a program on the same machine', async () => {
    const bodies: string[] = [];
    const receiver = createServer(async (request, response) => {
      bodies.push(await text(request));
      response.end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    const args = [cli(), 'listen', '--forward-to', `http://127.0.0.1:${port}/hook`];
    const env = { PATH: process.env['PATH'], KONTOR_URL: service.url, KONTOR_TOKEN: acme.token, ...configOf('none') };
    const child = spawn(path, args, { cwd: folder, env });
    let err = '';
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    onTestFinished(() => {
      child.kill();
      receiver.close();
    });
    await expect.poll(() => err).toContain('Ctrl-C ends');
    const trigger = await run(
      path,
      [cli(), 'trigger', 'project.created', '--confirm', acmeName],
      env as Record<string, string>,
    );
    expect(trigger).toMatchObject({ code: 0, out: expect.stringContaining('project.created happened') });
    await expect.poll(() => bodies.join()).toContain('"event":"project.created"');
  });
});

describe('profiles', () => {
  const kontor = (name: string, args: string[], env: Record<string, string> = {}, input?: string): Promise<Ended> =>
    run(process.execPath, [cli(), ...args], { ...configOf(name), ...env }, input);

  it('have an address and a token each; the last login is the default, --profile and KONTOR_PROFILE name another', async () => {
    const other = await service.integrator({ name: 'Globex' });
    const login = (profile: string, token: string): Promise<Ended> =>
      kontor('two', ['login', '--url', service.url, '--profile', profile], { KONTOR_TOKEN: token });
    await login('acme', acme.token);
    await login('globex', other.token);
    const tenant = async (args: string[], env?: Record<string, string>): Promise<string> =>
      (await kontor('two', ['graphql', '{ me { tenant { name } } }', ...args], env)).out;
    const named = (name: string): string => `{"me":{"tenant":{"name":"${name}"}}}\n`;
    expect(await tenant([])).toBe(named('Globex'));
    expect(await tenant(['--profile', 'acme'])).toBe(named(acmeName));
    expect(await tenant([], { KONTOR_PROFILE: 'acme' })).toBe(named(acmeName));
    // A profile that was named wins over the environment, and the environment over the default.
    expect(await tenant(['--profile', 'acme'], { KONTOR_TOKEN: other.token })).toBe(named(acmeName));
    expect(await tenant([], { KONTOR_URL: service.url, KONTOR_TOKEN: acme.token })).toBe(named(acmeName));
    expect((await kontor('two', ['profiles', '--use', 'acme'])).out).toBe(
      `*\tacme\t${service.url}\n\tglobex\t${service.url}\n`,
    );
    expect(await kontor('two', ['logout', '--profile', 'acme'])).toMatchObject({ code: 0 });
    expect(await tenant([])).toBe(named('Globex'));
    expect((await readFile(join(folder, 'two/kontor/profiles.json'), 'utf8')).includes(acme.token)).toBe(false);
  });

  it("a profile's token is never sent to another address", async () => {
    const asked: (string | undefined)[] = [];
    const thief = createServer((request, response) => {
      asked.push(request.headers.authorization);
      response.end('{}');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void thief.close());
    await once(thief, 'listening');
    const url = `http://127.0.0.1:${(thief.address() as AddressInfo).port}`;
    await kontor('safe', ['login', '--url', service.url], {}, acme.token);
    for (const [args, env] of [
      [['list', 'customers', '--url', url], {}],
      [['list', 'customers'], { KONTOR_URL: url }],
      [['--url', url, 'doctor', '--profile', 'default'], {}],
    ] as const) {
      const ended = await kontor('safe', [...args], env);
      expect([ended.code, ended.err]).toEqual([
        2,
        `kontor: The token of the profile "default" is for ${service.url} only. Use --token for ${url}, or kontor login.\n`,
      ]);
    }
    // A server that is no Kontor gets no token from `doctor` either.
    const doctor = await kontor('safe', ['doctor', '--url', url, '--token', acme.token]);
    expect([doctor.code, doctor.out]).toEqual([1, expect.stringContaining('but is no Kontor')]);
    expect(asked).toEqual([undefined]);
  });

  it('refuses files that others can read, damaged ones, unknown names, and tokens that are not valid', async () => {
    await kontor('bad', ['login', '--url', service.url], {}, acme.token);
    const file = join(folder, 'bad/kontor/profiles.json');
    const before = await readFile(file, 'utf8');
    const failing = async (args: string[], env?: Record<string, string>, input?: string): Promise<unknown[]> => {
      const { code, out, err } = await kontor('bad', args, env, input);
      return [code, out, err];
    };
    const forged = 'kontor_forged';
    expect(await failing(['login', '--url', service.url], {}, forged)).toEqual([
      3,
      '',
      expect.not.stringContaining(forged),
    ]);
    expect(await failing(['login', '--url', service.url], {}, '')).toEqual([
      3,
      '',
      'kontor: The API token is empty.\n',
    ]);
    expect((await failing(['login', '--url', service.url], {}, 'a\nb')).slice(0, 2)).toEqual([2, '']);
    for (const name of ['../x', '', 'a'.repeat(65), 'x\u001B[2J'])
      expect((await failing(['login', '--profile', name], {}, acme.token)).slice(0, 2)).toEqual([2, '']);
    for (const name of ['__proto__', 'constructor', 'x'])
      expect(await failing(['list', 'customers', '--profile', name])).toEqual([
        2,
        '',
        `kontor: There is no profile "${name}". There are: default.\n`,
      ]);
    expect(await readFile(file, 'utf8')).toBe(before);
    await chmod(file, 0o644);
    expect(await failing(['list', 'customers'])).toEqual([2, '', expect.stringContaining(`chmod 600 '${file}'`)]);
    await chmod(file, 0o600);
    await writeFile(file, before.slice(0, -9));
    expect(await failing(['list', 'customers'])).toEqual([2, '', expect.stringContaining('is damaged')]);
    await rm(file);
    await mkdir(file);
    expect((await failing(['profiles'])).slice(0, 2)).toEqual([2, '']);
  });

  it('doctor says what to do about each failure', async () => {
    const check = async (args: string[]): Promise<string> => (await kontor('none', ['doctor', ...args])).out;
    expect(await check(['--url', 'http://127.0.0.1:9', '--token', 'x'])).toContain("can't be reached");
    expect(await check(['--url', service.url, '--token', 'x'])).toMatch(/FAIL {2}token: .* run kontor login/);
    const { token } = await createToken(service.client, { tenantId: acme.tenantId, abilities: ['projects:read'] });
    expect(await check(['--url', service.url, '--token', token])).toContain('abilities: projects:read\n');
    const old = createServer((_request, response) => {
      const headers = { 'kontor-version': '99.0.0', date: new Date(0).toUTCString() };
      response.writeHead(200, headers).end('{}');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void old.close());
    await once(old, 'listening');
    const url = `http://127.0.0.1:${(old.address() as AddressInfo).port}`;
    const findings = await check(['--url', url, '--token', 'x']);
    expect(findings).toContain(`Install its own: npm i -g ${url}/downloads/cli.tgz`);
    expect(findings).toMatch(/FAIL {2}clock: \d+ s of difference/);
  });
});
