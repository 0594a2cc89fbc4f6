import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../src/config/config.ts';

// Checks of the image, and of the examples for systemd and Kubernetes, without a container engine. test/reliability/image.test.ts runs the steps of the Dockerfile.

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
    expect(dockerfile).toContain(`ARG NODE_VERSION=${dependencies['node']}\n`);
  });

  it('starts the service like package.json, as an unprivileged user', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const [, command = '[]'] = /^CMD (\[.*\])$/m.exec(dockerfile) ?? [];
    expect((JSON.parse(command) as string[]).join(' ')).toBe(scripts['start']);
    expect(dockerfile.lastIndexOf('\nUSER node')).toBeGreaterThan(dockerfile.lastIndexOf('\nFROM'));
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
  });
});

describe('kontor.yaml', () => {
  interface Port {
    name: string;
    containerPort: number;
  }
  interface Container {
    command?: string[];
    args: string[];
    ports?: Port[];
    securityContext: object;
    readinessProbe?: { httpGet: { path: string; port: string } };
  }
  interface Manifest {
    kind: string;
    metadata: { name: string };
    data: Record<string, string>;
    spec: { template?: { spec: { securityContext: object; containers: Container[] } } };
  }
  const manifests = parseAllDocuments(read('docker/kontor.yaml')).map((document) => document.toJS() as Manifest);
  const pods = manifests.flatMap(({ spec }) => spec?.template?.spec ?? []);

  it('runs each command without rights, and asks the ports that the image has', () => {
    expect(pods.map(({ containers }) => containers[0]?.args)).toEqual([['migrate'], ['serve'], ['work']]);
    for (const { securityContext, containers } of pods) {
      expect(securityContext).toMatchObject({ runAsNonRoot: true });
      expect(containers[0]?.securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
      });
    }
    const probed = pods.map(({ containers: [container] }) => {
      const { path, port: name } = container?.readinessProbe?.httpGet ?? {};
      return [path, container?.ports?.find((port) => port.name === name)?.containerPort];
    });
    const [, healthPort] = /HEALTH_PORT=(\d+)/.exec(read('Dockerfile')) ?? [];
    expect(probed.slice(1)).toEqual([
      ['/health/ready', 4000],
      ['/health/ready', Number(healthPort)],
    ]);
  });

  it('has settings that Kontor accepts, and reads each secret from a file', () => {
    const settings = manifests[0]?.data ?? {};
    const folder = mkdtempSync(join(tmpdir(), 'kontor-secrets-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'database-url'), 'postgres://kontor:x@database/kontor\n', { mode: 0o600 });
    writeFileSync(join(folder, 'secret'), 'b2Ytd2hpY2gtbm9ib2R5LWtub3dzLWFueXRoaW5n\n', { mode: 0o600 });
    const mounted = Object.entries(settings).map(([name, value]) => [
      name,
      value.replace('/run/secrets/kontor', folder),
    ]);
    expect(readConfig(Object.fromEntries(mounted) as Record<string, string>)).toMatchObject({
      databaseUrl: 'postgres://kontor:x@database/kontor',
      secret: 'b2Ytd2hpY2gtbm9ib2R5LWtub3dzLWFueXRoaW5n',
      trustedProxies: 1,
      metricsPort: 9464,
    });
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    for (const { containers } of pods) expect(containers[0]?.command?.join(' ')).toBe(scripts['kontor']);
  });
});
