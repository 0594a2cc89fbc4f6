import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../src/config/config.ts';

// Checks of the image, and of the example for systemd, without a container engine. test/reliability/image.test.ts builds and runs
// the image.

const read = (path: string): string => readFileSync(path, 'utf8');

interface Service {
  environment: Record<string, string>;
  command?: string[];
  depends_on?: Record<string, { condition: string }>;
}
const { services } = parse(read('compose.yaml'), { merge: true }) as { services: Record<string, Service> };
const { kontor, migrate, database } = services;

describe('Dockerfile', () => {
  const dockerfile = read('Dockerfile');

  it('has the Node version that npm ci installs', () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
    expect(dockerfile).toContain(`\nARG BASE=node:${dependencies['node']}-slim\n`);
  });

  it('starts the service like package.json, as an unprivileged user', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const [, command = '[]'] = /^CMD (\[.*\])$/m.exec(dockerfile) ?? [];
    expect((JSON.parse(command) as string[]).join(' ')).toBe(scripts['start']);
    expect(dockerfile.lastIndexOf('\nUSER 1000:1000\n')).toBeGreaterThan(dockerfile.lastIndexOf('\nFROM'));
  });

  it('has the packages that the service imports, for which npm leaves out those of development', () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
    const [files, packages] = [new Set(['src/cli.ts']), new Map<string, string>()];
    const imports = /(?:^import |\bfrom |\bimport\(|\bimport\.meta\.resolve\()'((?:@[\w-]+\/)?[\w-]+)(?:\/\S*)?'/gm;
    const own = /'(\.\.?\/\S+\.ts)'|\bnew URL\('(\S+\.ts)'/g;
    for (const file of files) {
      // Files that Prisma generates are missing where nothing was generated yet.
      if (!existsSync(file)) continue;
      const text = read(file);
      for (const [, name = ''] of text.matchAll(imports)) packages.set(name, file);
      for (const [, module, thread = ''] of text.matchAll(own)) files.add(join(dirname(file), module ?? thread));
    }
    // The walk reaches what is loaded late, and threads.
    expect([...packages.keys()]).toEqual(
      expect.arrayContaining(['pdfkit', 'qrcode', 'graphile-worker', '@jsquash/png']),
    );
    expect([...packages].filter(([name]) => !(name in dependencies))).toEqual([]);
  });

  it('is labelled with the version of package.json', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(dockerfile).toContain(`org.opencontainers.image.version="${version}"`);
  });

  it('keeps the weights of the fonts that documents use', () => {
    const kept = [...dockerfile.matchAll(/! -path '\*(\/\w+\/)\*'/g)].map(([, weight = '']) => weight);
    const sources = ['fonts.ts', 'svg.ts'].map((file) => read(`schema/documents/pdf/${file}`)).join('');
    const used = [...sources.matchAll(/\/\d00[A-Z]\w+\//g)];
    expect(used.length).toBeGreaterThan(10);
    expect(new Set(used.map(([weight]) => weight))).toEqual(new Set(kept));
  });
});

describe('compose.yaml', () => {
  it('migrates before the start, after the database is ready', () => {
    expect(migrate?.command).toEqual(['node', 'src/cli.ts', 'migrate']);
    expect(migrate?.depends_on).toEqual({ database: { condition: 'service_healthy' } });
    expect(kontor?.depends_on).toEqual({ migrate: { condition: 'service_completed_successfully' } });
  });

  it('has settings that Kontor accepts, and takes each secret from the environment', () => {
    for (const service of [migrate, kontor]) {
      const filled = Object.entries(service?.environment ?? {}).map(([name, value]) => [
        name,
        value
          .replace(/\$\{KONTOR_SECRET:\?[^}]*\}/, 'b2Ytd2hpY2gtbm9ib2R5LWtub3dzLWFueXRoaW5n')
          .replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')
          .replaceAll(/\$\{\w+\}/g, 'e7d2c1'),
      ]);
      const config = readConfig(Object.fromEntries(filled));
      expect(config.databaseUrl).toBe('postgres://kontor:e7d2c1@database:5432/kontor');
      expect(config.databaseBooksUrl).toBe('postgres://kontor_books:e7d2c1@database:5432/kontor');
    }
    const passwords = Object.entries(database?.environment ?? {}).filter(([name]) => name.endsWith('PASSWORD'));
    expect(passwords).toHaveLength(3);
    for (const [name, value] of passwords) expect(value).toMatch(new RegExp(`^\\$\\{${name}:\\?`));
  });

  it('passes the passwords to the database that its script reads', () => {
    const required = [...read('docker/database.sql').matchAll(/^\\getenv \w+ (\w+)$/gm)].map(([, name]) => name);
    expect(required).toEqual(['KONTOR_OWNER_PASSWORD', 'KONTOR_BOOKS_PASSWORD']);
    expect(Object.keys(database?.environment ?? {})).toEqual(expect.arrayContaining(required));
  });
});

describe('src/bin/kontor', () => {
  it('gives Node the options that package.json gives it', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const [, options = ''] = /^exec "\$node" (.*?) --import /ms.exec(read('src/bin/kontor')) ?? [];
    expect(`node ${options.replaceAll(/\s*\\\n\s*/g, ' ')} --import`).toBe(
      /^node .* --import/.exec(scripts['kontor'] ?? '')?.[0],
    );
  });
});

describe('kontor.service', () => {
  const unit = read('docker/kontor.service');

  it('starts the service like package.json', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    expect(/^ExecStart=\S*\/(node .*)$/m.exec(unit)?.[1]).toBe(scripts['start']);
  });

  const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
  it.skipIf(!hasSystemd)('is accepted by systemd', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kontor-unit-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'kontor.service');
    writeFileSync(file, unit.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`));
    const checked = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
    expect([checked.status, checked.stderr]).toEqual([0, '']);
    // In tenths. What is left: network, Unix sockets, a compiler of machine code, and the host's files to read.
    const rights = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=18', file], {
      encoding: 'utf8',
    });
    expect([rights.status, rights.stderr]).toEqual([0, '']);
  });
});
