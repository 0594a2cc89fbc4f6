import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { makeCustomer } from '../graphql/books.ts';
import { createDatabase, startService, type Database, type Service } from '../harness.ts';
import { npm } from '../processes/npm.ts';
import { kontorSecret } from '../reliability/served.ts';
import { noPooler, startPooler, type Pooler } from './pgbouncer.ts';

describe.skipIf(noPooler)('a worker whose URLs name a pooler', () => {
  let database: Database;
  let service: Service;
  let pooler: Pooler;
  let env: Record<string, string>;

  beforeAll(async () => {
    database = await createDatabase();
    service = await startService({ database });
    pooler = await startPooler(inject('serverUrl'), 5);
    const pooled = pooler.through(database.url);
    env = {
      DATABASE_URL: pooled,
      DATABASE_DIRECT_URL: database.url,
      DATABASE_BOOKS_URL: pooled,
      KONTOR_SECRET: kontorSecret,
    };
  });
  afterAll(async () => {
    await pooler.close();
    await service.close();
    await database.drop();
  });

  it('says at its start that it needs the books without the pooler', async () => {
    const run = npm(['run', '-s', 'kontor', '--', 'work'], env);
    expect(await run.exited).toMatchObject({ code: 1 });
    expect(run.err()).toMatch(
      /^kontor: DATABASE_BOOKS_URL leads through a pooler: set DATABASE_BOOKS_DIRECT_URL[^\n]*\n$/,
    );
  });

  it('works with these', async () => {
    const acme = await service.integrator();
    await makeCustomer(acme);
    const run = npm(['run', '-s', 'kontor', '--', 'work'], { ...env, DATABASE_BOOKS_DIRECT_URL: database.url });
    await run.until(/Kontor works on the queue/);
    const findOpen = () => acme.db.event.count({ where: { fannedOutAt: null } });
    await expect.poll(findOpen).toBe(0);
    run.killGroup('SIGINT');
    await run.exited;
  });
});
