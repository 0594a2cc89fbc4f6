import { afterAll, beforeAll, expect, it } from 'vitest';
import { rotateSecret } from '../../src/jobs/rotate-secret.ts';
import { createEncryption } from '../../src/security/encryption.ts';
import { getSecretId, Keyring } from '../../src/security/keyring.ts';
import { sealSample } from '../../src/security/secret-check.ts';
import { createDatabase, startService, type Database, type Integrator, type Service } from '../harness.ts';
import { createWebhook, until } from '../webhooks/receiver.ts';
import { runJob } from './run-job.ts';

const former = 'the secret of the tests, long enough';
const next = 'another secret of the tests, long enough as well';

let database: Database;
let service: Service;
let acme: Integrator;
beforeAll(async () => {
  database = await createDatabase();
  service = await startService({ database });
  acme = await service.integrator();
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

it('encrypts anew what a user’s rotation moves meanwhile', async () => {
  const { id, secret } = await createWebhook(acme, { url: 'https://hooks.example.com' });
  await service.pool.query('delete from secret_checks');
  await service.pool.query('insert into secret_checks (sealed, key_id, previous_sealed) values ($1, $2, $3)', [
    sealSample(next, { named: true }),
    getSecretId(next),
    sealSample(former, { named: false }),
  ]);
  const keyring = new Keyring(next, former);
  keyring.encryptWith(next, { named: true });
  const { seal, open } = createEncryption(keyring, 'webhook secrets');

  const user = await service.pool.connect();
  await user.query('begin');
  await user.query(
    `update webhooks set previous_secret = secret, previous_secret_until = now() + interval '1 day', secret = $2
     where id = $1`,
    [id, seal('whsec_of_the_user')],
  );
  const job = runJob(rotateSecret(service, keyring));
  await until(async () => {
    const { rows } = await service.pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  }, 'the job to wait for the row');
  await user.query('commit');
  user.release();
  await job;

  const stored = await acme.db.webhook.findFirstOrThrow({
    where: { id },
    select: { secret: true, previousSecret: true, earlierSecret: true },
  });
  const sealed = [stored.secret, stored.previousSecret ?? new Uint8Array()];
  expect(sealed.map((each) => open(each))).toEqual(['whsec_of_the_user', secret]);
  for (const each of sealed) expect(Buffer.from(each.subarray(0, 8)).equals(getSecretId(next))).toBe(true);
  expect(stored.earlierSecret).toBeNull();
  const { rows } = await service.pool.query(
    'select previous_sealed, rotated_values::int as done, unreadable_values::int as unreadable from secret_checks',
  );
  expect(rows).toEqual([{ previous_sealed: null, done: 2, unreadable: 0 }]);
});
