import { readdirSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { defaultTimeouts } from '../../src/server/http/timeouts.ts';
import { startService } from '../harness.ts';
import { expectNoInternalError } from '../rest/samples.ts';
import { until } from '../webhooks/receiver.ts';
import { beset } from './strangers.ts';

// The short form of test/reliability/sockets.test.ts.

it('slow, silent, lost, and malformed connections are all closed with correct answers, while others are served', async () => {
  const each = 20;
  const service = await startService({
    timeouts: { ...defaultTimeouts, headMs: 1000, idleMs: 500, requestMs: 3000 },
  });
  onTestFinished(service.close);
  const [acme, globex] = [await service.integrator(), await service.integrator()];
  const descriptors = (): number => readdirSync('/proc/self/fd').length;
  const serve = async (): Promise<void> => expect((await acme.rest('GET', '/customers')).status).toBe(200);
  await Promise.all(Array.from({ length: 20 }, serve)); // connections that stay open
  const before = descriptors();

  const over = new AbortController();
  const siege = beset(service, globex, { each, atOnce: 300 }).finally(() => over.abort());
  while (!over.signal.aborted) await serve();
  for (const [name, { closed, wrong }] of await siege)
    expect({ name, closed, wrong }).toEqual({ name, closed: each, wrong: new Set() });
  await until(() => descriptors() <= before, 'descriptors to be given back');
  expectNoInternalError(service);
});
