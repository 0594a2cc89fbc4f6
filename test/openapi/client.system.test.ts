import { statSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startService, type Service } from '../harness.ts';
import { npm } from '../processes/npm.ts';

// The client in test/openapi-client has its dependencies installed here, when they are not there or are older than its
// lock file: `npm ci && npm test` in the project's folder is enough.

const folder = 'test/openapi-client';
const timeOf = (file: string): number =>
  statSync(new URL(`../openapi-client/${file}`, import.meta.url), { throwIfNoEntry: false })?.mtimeMs ?? 0;

async function run(args: string[], env?: Record<string, string>): Promise<void> {
  const process = npm([...args, '--prefix', folder], env);
  const { code } = await process.exited;
  expect({ args, code, said: code === 0 ? '' : process.out() + process.err() }).toEqual({ args, code: 0, said: '' });
}

let service: Service;
beforeAll(async () => {
  service = await startService();
  if (timeOf('node_modules/.package-lock.json') < timeOf('package-lock.json')) {
    await run(['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
  }
}, 180_000);
afterAll(() => service.close());

it('a TypeScript client generated from the description type-checks, and works against the server', async () => {
  const { token } = await service.integrator();
  await run(['test'], { API: `${service.url}/api/v1`, TOKEN: token });
}, 120_000);
