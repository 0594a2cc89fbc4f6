import { statSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startService, type Service } from '../harness.ts';
import { npm } from '../processes/npm.ts';

// This test installs the dependencies of test/openapi-client if they are missing or older than its lock file. So
// `npm ci && npm test` in the project's folder is enough.

const folder = 'test/openapi-client';
const timeOf = (file: string): number =>
  statSync(new URL(`../openapi-client/${file}`, import.meta.url), { throwIfNoEntry: false })?.mtimeMs ?? 0;

async function run(args: string[], env?: Record<string, string>): Promise<void> {
  const process = npm([...args, '--prefix', folder], env);
  const { code } = await process.exited;
  expect({ args, code, text: code === 0 ? '' : process.out() + process.err() }).toEqual({ args, code: 0, text: '' });
}

let service: Service;
beforeAll(async () => {
  service = await startService();
  if (timeOf('node_modules/.package-lock.json') < timeOf('package-lock.json')) {
    await run(['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
  }
}, 180_000);
afterAll(() => service.close());

it('a TypeScript client generated from the description type-checks and works with the server', async () => {
  const { token } = await service.integrator();
  await run(['test'], { API: `${service.url}/api/v1`, TOKEN: token });
});
