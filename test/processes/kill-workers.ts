import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { createDatabase, startService } from '../harness.ts';
import { createWebhook, startReceiver, until } from '../webhooks/receiver.ts';

const webhooks = 4;

const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));

/** A number from 0 to 1; the same sequence in every run, so that a failure can be looked at again. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * Kills workers at random moments while deliveries wait, and expects each to be delivered or in a recorded final state,
 * with the same bytes on every attempt. Each event has four deliveries.
 */
export async function killWorkers({ kills, events }: { kills: number; events: number }): Promise<void> {
  const deliveries = webhooks * events;
  const chance = random(20_261_121);
  const database = await createDatabase();
  const service = await startService({ database });
  // One in ten is refused, and none is quick, so that kills find something to interrupt.
  const receiver = await startReceiver((response, _request, index) => {
    setTimeout(() => response.writeHead(index % 10 === 9 ? 500 : 200).end(), 50);
  });
  const acme = await service.integrator();
  const { secret } = await createWebhook(acme, { url: receiver.url });
  expect(secret).toBeDefined();
  for (let more = 1; more < webhooks; more += 1) await createWebhook(acme, { url: `${receiver.url}/${more}` });

  const env = {
    ...process.env,
    DATABASE_URL: database.url,
    KONTOR_SECRET: 'the secret of the tests, long enough', // as the service's that sealed the webhooks' secrets
    WEBHOOK_ALLOW_INSECURE: '1',
    WEBHOOK_RETRY_DELAYS: '0.3,0.3,0.3,0.3,0.3',
    WEBHOOK_TIMEOUT: '2',
  };
  const startWorker = (): ChildProcess => spawn(process.execPath, [cli, 'work'], { env, stdio: 'ignore' });
  const workers = [startWorker(), startWorker()];
  const waiting = (): Promise<number> => acme.db.delivery.count({ where: { state: 'WAITING' } });

  try {
    let killed = 0;
    let made = 0;
    while (killed < kills || made < events) {
      const batch = Math.min(events - made, Math.ceil(events / kills));
      await acme.db.event.createMany({
        data: Array.from({ length: batch }, (_each, index) => ({
          type: 'customer.created',
          body: JSON.stringify({ event: 'customer.created', number: made + index, text: 'ä'.repeat(20) }),
        })),
      });
      made += batch;
      // By what was sent, not by the clock: on a busy machine no worker would live long enough to be interrupted.
      const next = receiver.requests.length + 1 + Math.floor(chance() * 30);
      await until(async () => receiver.requests.length >= next, 'more deliveries', 60_000);
      await new Promise((resolve) => setTimeout(resolve, chance() * 60));
      const index = chance() < 0.5 ? 0 : 1;
      workers[index]?.kill('SIGKILL');
      workers[index] = startWorker();
      killed += 1;
    }
    await until(
      async () => (await acme.db.event.count({ where: { fannedOutAt: null } })) === 0 && (await waiting()) === 0,
      'all deliveries to end',
      120_000,
    );
    expect(killed).toBeGreaterThanOrEqual(kills);
  } finally {
    for (const worker of workers) {
      worker.kill('SIGKILL');
      if (worker.exitCode === null && worker.signalCode === null) await once(worker, 'exit');
    }
  }

  const rows = await acme.db.delivery.findMany({ include: { event: true, attempts: true } });
  expect(rows).toHaveLength(deliveries);
  expect(new Set(rows.map(({ webhookId, eventId }) => `${webhookId} ${eventId}`)).size).toBe(deliveries);
  const received = Map.groupBy(receiver.requests, ({ headers }) => String(headers['x-service-delivery']));
  expect([...received.keys()].filter((id) => !rows.some((row) => row.id === id))).toEqual([]);
  for (const { id, state, event, attempts, attemptCount } of rows) {
    const requests = received.get(id) ?? [];
    expect(['DELIVERED', 'FAILED']).toContain(state);
    expect(attempts).toHaveLength(attemptCount);
    expect(attempts.every(({ durationMs }) => durationMs !== null)).toBe(true);
    if (state === 'DELIVERED') expect(requests.length).toBeGreaterThan(0);
    expect(requests.filter(({ body }) => body !== event.body)).toEqual([]);
    const numbers = requests.map(({ headers }) => Number(headers['x-service-attempt']));
    expect(new Set(numbers).size, 'no attempt is sent twice').toBe(numbers.length);
    expect(Math.max(0, ...numbers)).toBeLessThanOrEqual(attemptCount);
  }
  const interrupted = rows.filter(({ attempts }) => attempts.some(({ error }) => error?.startsWith('cut off')));
  expect(interrupted.length, 'the kills hit something').toBeGreaterThan(0);

  await receiver.close();
  await service.close();
  await database.drop();
}
