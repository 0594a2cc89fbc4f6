import { afterAll, beforeAll, describe, inject } from 'vitest';
import { gateway } from '../harness.ts';
import { noPooler, startPooler, type Pooler } from './pgbouncer.ts';

// These files run once more, on databases that say that their books are distributed, with services that connect through
// pgbouncer: every answer is the same. Books that are not distributed behind pgbouncer: tenants.system and worker.system.
describe(`where the books are distributed${noPooler ? '' : ', through pgbouncer'}`, async () => {
  let pooler: Pooler | undefined;
  gateway.distributed = true;
  beforeAll(async () => {
    if (noPooler) return;
    pooler = await startPooler(inject('serverUrl'), 5);
    gateway.through = pooler.through;
  });
  afterAll(() => pooler?.close());

  await import('../openapi/walk.test.ts');
  await import('../graphql/access/tenant-client.test.ts');
  await import('../graphql/access/tenancy.test.ts');
  await import('../graphql/resources/concurrency.test.ts');
  await import('../idempotency/stored-responses.test.ts');
});
