import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { startProxy, type Proxy } from '../faults/proxy.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { startKontor, type Run } from '../processes/npm.ts';
import { until } from '../webhooks/receiver.ts';

let service: Service;
let proxy: Proxy;
let acme: Integrator;
let run: Run;

beforeAll(async () => {
  service = await startService();
  proxy = await startProxy(Number(new URL(service.url).port));
});
afterAll(async () => {
  await proxy.close();
  await service.close();
});
beforeEach(async () => {
  acme = await service.integrator();
});
afterEach(() => run.killGroup('SIGKILL'));

async function follow(...args: string[]): Promise<void> {
  const env = { KONTOR_URL: `http://127.0.0.1:${proxy.port}`, KONTOR_TOKEN: acme.token };
  run = startKontor(['logs', ...args], env);
  await until(() => run.err().includes('Ctrl-C ends.'));
}

it('prints a line for each request of the token: time, status, method, path, duration, id', async () => {
  await follow();
  expect(run.err()).toMatch(/^Requests of the token ".*" of Acme\. Ctrl-C ends\.\n$/);
  const { headers } = await acme.rest('DELETE', '/customers/nothing');
  const id = headers.get('x-request-id');
  await run.until(/^\d\d:\d\d:\d\d {2}404 {2}DELETE {2}\/api\/v1\/customers\/nothing {2}\d+ ms {2}\S+$/m);
  expect(run.out()).toContain(id);
  run.child.kill('SIGINT');
  expect(await run.exited).toEqual({ code: 0, signal: null });
});

it('prints JSON objects with --json, and follows again after the connection was lost', async () => {
  await follow('--json');
  await acme.rest('GET', '/me');
  await run.until(/\n/);
  expect(JSON.parse(run.out())).toEqual({
    request_id: expect.any(String),
    method: 'GET',
    path: '/api/v1/me',
    status: 200,
    duration_ms: expect.any(Number),
    aborted: false,
    started_at: expect.any(String),
    left_out: 0,
  });
  await proxy.shut();
  await until(() => run.err().includes('The connection is lost'));
  await proxy.clear();
  await until(() => run.err().includes('Connected again.'));
  await acme.rest('GET', '/customers');
  await run.until(/"\/api\/v1\/customers"/);
});
