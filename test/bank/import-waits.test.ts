import { Client } from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { makeInvoice } from '../graphql/books.ts';
import { holdLock, runScript } from '../harness.ts';
import { listen } from '../isolation/statements.ts';
import { until } from '../webhooks/receiver.ts';
import { acme, faultsSince, serveImports, service } from './imports.ts';
import { camt, form, imported, many, type Entry, type Imported } from './statement.ts';

serveImports();

const held = 4711;
const slow: Entry = { amount: '1.00', reference: 'slow' };
/** Longer than a small import's file. The last entry is written when the test allows it. */
const count = 70;
const long = many(count).map((entry) => ({ ...entry, reference: `${entry.reference} ${'and more '.repeat(1000)}` }));
const large = camt([...long, slow]);

let observer: Client;
beforeAll(async () => {
  await runScript(
    service,
    `create function wait() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(${held});
      return new;
    end $$;
    create trigger wait before insert on bank_transactions for each row when (new.reference = 'slow') execute function wait()`,
  );
  // The first job of a kind writes a row of the queue, for which all others wait. A worker does so when it starts.
  await imported(service, await service.integrator(), camt([{ amount: '1.00' }]));
  observer = new Client({ connectionString: service.pool.options.connectionString });
  await observer.connect();
});
afterAll(() => observer.end());

/** Waits until a transaction waits for a lock of this type. */
const untilWaiting = (type: string): Promise<void> =>
  until(async () => {
    const { rowCount } = await observer.query(
      `select from pg_locks join pg_stat_activity using (pid)
        where datname = current_database() and locktype = $1 and not granted`,
      [type],
    );
    return rowCount === 1;
  }, `a lock of type ${type}`);

/** Starts an import of the large file, and waits until it has written all but the last entry. */
async function startLargeImport(): Promise<{ result: Promise<Imported>; release: () => Promise<void> }> {
  const release = await holdLock(service, held);
  const result = imported(service, acme, large);
  result.catch(() => {}); // awaited by the test
  await untilWaiting('advisory');
  return { result, release };
}

it('an import that waits for another one holds no connection', async () => {
  const waiting = await service.integrator();
  const holder = new Client({ connectionString: service.pool.options.connectionString });
  await holder.connect();
  await holder.query('begin');
  const lock = `${waiting.tenantId} small statement import`;
  await holder.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [lock]);
  const { pid } = (await holder.query('select pg_backend_pid() as pid')).rows[0];
  const result = imported(service, waiting, camt([{ amount: '7.00' }]));
  const asks = `select from pg_stat_activity where datname = current_database() and query like '%pg_try_advisory_xact_lock%'`;
  await until(async () => ((await observer.query(asks)).rowCount ?? 0) > 0, 'the import to ask for the lock');
  // Longer than its own short transactions, in which it asks again and again.
  const old = `select from pg_stat_activity
    where datname = current_database() and pid <> $1 and xact_start < clock_timestamp() - interval '1 second'`;
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const { rowCount } = await observer.query(old, [pid]);
  await holder.end();
  expect(await result).toMatchObject({ imported: 1 });
  expect(rowCount).toBe(0);
});

it('a small import does not wait for a large one of the same tenant', async () => {
  const { result, release } = await startLargeImport();
  const small = imported(service, acme, camt([{ amount: '7.00' }]));
  expect(await small.finally(release)).toMatchObject({ imported: 1 });
  expect(await result).toMatchObject({ imported: count + 1 });
});

it('a small import of the same transactions waits for the large one, and skips them', async () => {
  const { result, release } = await startLargeImport();
  const small = imported(service, acme, camt([...long.slice(0, 3), { amount: '7.00' }]));
  await untilWaiting('transactionid').finally(release);
  expect(await result).toMatchObject({ imported: count + 1 });
  expect(await small).toMatchObject({ imported: 1, skipped: 3 });
  expect(await acme.db.event.count({ where: { type: 'bank_transaction.created' } })).toBe(count + 2);
});

it('a small import is tried again while an invoice that it pays is locked', async () => {
  const id = await makeInvoice(acme, { status: 'ISSUED' });
  const { number } = await acme.db.invoice.findFirstOrThrow({ where: { id } });
  let tries = 0;
  onTestFinished(listen(({ text }) => void (tries += text.startsWith('set local lock_timeout') ? 1 : 0)));
  await observer.query('begin');
  await observer.query('select from invoices where tenant_id = $1 and id = $2 for update', [acme.tenantId, id]);
  const small = imported(service, acme, camt([{ amount: '119.00', reference: `Invoice ${number}` }]));
  await until(() => tries > 1, 'a second try').finally(() => observer.query('rollback'));
  expect(await small).toMatchObject({ imported: 1, matched: 1 });
});

it('an import ends with its client, and writes nothing', async () => {
  const logged = service.log.length;
  const release = await holdLock(service, held);
  const client = new AbortController();
  const headers = { authorization: `Bearer ${acme.token}` };
  const sent = fetch(new URL('/graphql', service.url), {
    method: 'POST',
    body: form(large),
    headers,
    signal: client.signal,
  });
  await untilWaiting('advisory').finally(() => client.abort());
  await expect(sent).rejects.toThrow('aborted');
  const isLogged = (): boolean => service.log.slice(logged).some((line) => line.includes('"aborted":true'));
  await until(isLogged, 'the end of the connection').finally(release);
  // Its lock is free again once its transaction has ended.
  expect(await imported(service, acme, camt(long))).toMatchObject({ imported: count, skipped: 0 });
  expect(await acme.db.bankTransaction.count()).toBe(count);
  expect(faultsSince(logged)).toEqual([]);
});
