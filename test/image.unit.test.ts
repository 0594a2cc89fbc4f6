import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../src/config/config.ts';

// Checks of the image without a container engine. test/reliability/image.test.ts runs the steps of the Dockerfile.

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
