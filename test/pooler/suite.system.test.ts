import { afterAll, beforeAll, describe, inject } from 'vitest';
import { gateway } from '../harness.ts';
import { noPooler, startPooler, type Pooler } from './pgbouncer.ts';

// These files run once more, with services that connect through pgbouncer: every answer is the same.
describe.skipIf(noPooler)('through pgbouncer', async () => {
  let pooler: Pooler;
  beforeAll(async () => {
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
