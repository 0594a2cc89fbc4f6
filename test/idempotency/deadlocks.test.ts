import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { planDeliveries } from '../../schema/resources/delivery/attempts.ts';
import { createToken, createUser } from '../../src/identity/index.ts';
import { removeMember } from '../../src/identity/users.ts';
import {
  createDatabase,
  holdLock,
  onEachServer,
  runScript,
  startService,
  type Answer,
  type Database,
  type Integrator,
  type Service,
} from '../harness.ts';
import { camt, imported } from '../bank/statement.ts';
import { listEvents, makeBankTransaction, makeCustomer, makeInvoice } from '../graphql/books.ts';
import { signedIn } from '../identity/browser.ts';
import { byHand, createWebhook, startReceiver, status, until } from '../webhooks/receiver.ts';

// PostgreSQL ends a deadlock by failing one of the transactions in it. That one is tried again, whole.

let database: Database;
let service: Service;
let acme: Integrator;
/** A second client of the database, which is never the one that PostgreSQL fails. */
let rival: Client;

beforeAll(async () => {
  database = await createDatabase();
  rival = new Client({ connectionString: database.url });
  service = await startService({ database });
  const name = new URL(database.url).pathname.slice(1);
  await onEachServer(service, `alter database ${name} set deadlock_timeout = '20ms'`);
  await rival.connect();
});
afterAll(async () => {
  await service.close();
  await rival.end();
  await database.drop();
});
beforeEach(async () => {
  acme = await service.integrator();
});

const updates = `mutation ($first: UUID!, $second: UUID!, $city: String!) {
  one: updateCustomer(id: $first, input: { city: $city }) { id city }
  two: updateCustomer(id: $second, input: { city: $city }) { id city }
}`;

const send = (query: string, variables: object, key: string): Promise<Answer> =>
  service.request('POST', '/graphql', {
    body: { query, variables },
    headers: { authorization: `Bearer ${acme.token}`, 'idempotency-key': key },
  });

const faults = (): string[] => service.log.filter((line) => line.includes('"msg":"internal error"'));

/**
 * Runs `work`, which changes the first row and then asks for the second, into a deadlock with the rival, which has the
 * second and asks for the first. Who closes the circle is failed.
 * @param change of the first row, as a trigger names it: the work waits there until the rival waits, too
 */
async function inDeadlock<T>(change: string, [first, second]: [string, string], work: () => Promise<T>): Promise<T> {
  const isWaiting = async (condition: string): Promise<boolean> => {
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return (await onEachServer(service, `${waiting} and ${condition}`)).length > 0;
  };
  const open = await holdLock(service, 42);
  try {
    await runScript(
      service,
      `
    create function wait_at_gate() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(42); return coalesce(new, old); end $$;
    create trigger wait_at_gate before ${change} execute function wait_at_gate()`,
    );
    await rival.query('begin');
    await rival.query(`set local citus.propagate_set_commands = 'local'`); // for what follows, where that is known
    await rival.query(`set local deadlock_timeout = '1min'`);
    await rival.query(second);
    const working = work();
    working.catch(() => {});
    await until(() => isWaiting(`wait_event = 'advisory'`), 'the work to have the first row');
    const closing = rival.query(first);
    await until(() => isWaiting(`wait_event <> 'advisory'`), 'the rival to ask for it');
    await open();
    await closing;
    await rival.query('commit');
    return await working;
  } finally {
    await open();
    await service.pool.query('drop function if exists wait_at_gate cascade');
  }
}

const lockOf = (table: string, id: string, { tenantId }: Pick<Integrator, 'tenantId'> = acme): string =>
  `select from ${table} where tenant_id = '${tenantId}' and id = '${id}' for update`;

describe('mutations with an Idempotency-Key', () => {
  it('run once each when two update the same rows in opposite order', async () => {
    const [a, b] = [await makeCustomer(acme), await makeCustomer(acme)];
    // Each holds its first row for a moment, so that both have one when they ask for the other.
    await runScript(
      service,
      `
      create function linger() returns trigger language plpgsql as $$ begin perform pg_sleep(0.05); return new; end $$;
      create trigger linger after update on customers for each row execute function linger()`,
    );
    for (let round = 0; round < 5; round++) {
      const sendAll = (): Promise<Answer[]> =>
        Promise.all([
          send(updates, { first: a, second: b, city: `Ulm ${round}` }, `there ${round}`),
          send(updates, { first: b, second: a, city: `Bonn ${round}` }, `back ${round}`),
        ]);
      const answers = await sendAll();
      expect(answers.map(({ body }) => body)).toEqual([
        { data: { one: { id: a, city: `Ulm ${round}` }, two: { id: b, city: `Ulm ${round}` } } },
        { data: { one: { id: b, city: `Bonn ${round}` }, two: { id: a, city: `Bonn ${round}` } } },
      ]);
      const again = await sendAll();
      expect(again.map(({ text }) => text)).toEqual(answers.map(({ text }) => text));
      const cities = (await acme.db.customer.findMany({ where: { id: { in: [a, b] } } })).map(({ city }) => city);
      expect(new Set(cities).size).toBe(1); // of one document or of the other, not of both
    }
    await service.pool.query('drop function linger cascade');
    const updated = (await listEvents(service, acme)).filter(({ type }) => type === 'customer.updated');
    expect(updated).toHaveLength(20);
    expect(faults()).toEqual([]);
  });

  it('create one token when they run again', async () => {
    const { browser, tenantId, userId } = await signedIn(service);
    // The first try to store the answer fails, after the token was created.
    await runScript(
      service,
      `
      create sequence tries;
      grant usage on sequence tries to public;
      create function fail_once() returns trigger language plpgsql as $$
      begin
        if nextval('tries') = 1 then raise exception 'contention' using errcode = '40001'; end if;
        return new;
      end $$;
      create trigger fail_once before insert on stored_responses for each row execute function fail_once()`,
    );
    const query = 'mutation { createApiToken(input: { name: "kept" }) { value } }';
    const { body } = await browser.request('POST', '/graphql', { query }, { 'idempotency-key': 'token' });
    const { rows } = await service.pool.query('select last_value from tries');
    await runScript(service, 'drop function fail_once cascade; drop sequence tries');
    expect(rows).toEqual([{ last_value: '2' }]);
    expect(body.errors).toBeUndefined();
    expect(await service.client.apiToken.findMany({ where: { userId, tenantId } })).toHaveLength(1);
    const me = await service.request('GET', '/api/v1/me', {
      headers: { authorization: `Bearer ${body.data.createApiToken.value}` },
    });
    expect(me.status).toBe(200);
    expect(faults()).toEqual([]);
  });
});

describe('without an Idempotency-Key, after a deadlock', () => {
  const paidTwice = async (): Promise<[string, string]> => [
    await makeInvoice(acme, { status: 'ISSUED' }),
    await makeInvoice(acme, { status: 'ISSUED' }),
  ];
  const eventCounts = async (): Promise<Record<string, number>> => {
    const types = (await listEvents(service, acme)).map(({ type }) => type);
    return Object.fromEntries([...new Set(types)].map((type) => [type, types.filter((each) => each === type).length]));
  };

  it('a mutation runs once', async () => {
    const [a, b] = await paidTwice();
    const id = await makeBankTransaction(acme, { amount: '238.00', amountOpen: '238.00' });
    const matches = [a, b].map((invoice) => ({ type: 'INVOICE', id: invoice }));
    const query = `mutation ($id: UUID!, $matches: [MatchInput!]!) {
      matchBankTransaction(id: $id, matches: $matches) { matchStatus }
    }`;
    const { body } = await inDeadlock(
      'update on invoices for each row',
      [lockOf('invoices', a), lockOf('invoices', b)],
      () => acme.graphqlAnswer(query, { id, matches }),
    );
    expect(body).toEqual({ data: { matchBankTransaction: { matchStatus: 'MATCHED' } } });
    expect(await acme.db.payment.count()).toBe(2);
    expect(await eventCounts()).toMatchObject({ 'invoice.paid': 2, 'bank_transaction.matched': 1 });
    expect(faults()).toEqual([]);
  });

  it('an import is read again from its start, and runs once', async () => {
    const [a, b] = await paidTwice();
    const numbers = (await acme.db.invoice.findMany({ where: { id: { in: [a, b] } } })).map(({ number }) => number);
    const entries = numbers.map((number) => ({ amount: '119.00', reference: `Invoice ${number}` }));
    const result = await inDeadlock(
      'update on invoices for each row',
      [lockOf('invoices', a), lockOf('invoices', b)],
      () => imported(service, acme, camt(entries)),
    );
    expect(result).toEqual({ imported: 2, skipped: 0, matched: 2, warnings: [] });
    expect(await eventCounts()).toMatchObject({
      'invoice.paid': 2,
      'bank_transaction.created': 2,
      'bank_transaction.matched': 2,
    });
    expect(faults()).toEqual([]);
  });

  it('the end of a delivery is recorded, and nothing is sent twice', async () => {
    const receiver = await startReceiver(status(204));
    const webhook = await createWebhook(acme, { url: receiver.url });
    await makeCustomer(acme);
    const hand = byHand(service, acme);
    const [{ id: eventId } = { id: '' }] = await acme.db.event.findMany();
    await planDeliveries(acme.db, eventId, new Date());
    const [{ id: delivery } = { id: '' }] = await acme.db.delivery.findMany();
    const whenEnded = 'update on deliveries for each row when (old.state is distinct from new.state)';
    await inDeadlock(whenEnded, [lockOf('deliveries', delivery), lockOf('webhooks', webhook.id)], () => hand.run());
    expect(await acme.db.delivery.findMany({ include: { attempts: true } })).toMatchObject([
      { state: 'DELIVERED', attemptCount: 1, attempts: [{ number: 1, status: 204 }] },
    ]);
    await hand.run();
    expect(receiver.requests).toHaveLength(1);
    await hand.close();
    await receiver.close();
  });

  it('changes of users and sessions are written', async () => {
    const { id: userId } = await createUser(service.client, { email: 'bob@example.com', tenantId: acme.tenantId });
    const token = await createToken(service.client, { tenantId: acme.tenantId, userEmail: 'bob@example.com' });
    const removal = { tenantId: acme.tenantId, userId, by: acme.userId };
    const membership = `select from memberships where user_id = '${userId}' for update`;
    await inDeadlock('delete on memberships for each row', [membership, lockOf('api_tokens', token.id)], () =>
      removeMember(service.client, removal),
    );
    const left = await service.request('GET', '/api/v1/me', { headers: { authorization: `Bearer ${token.token}` } });
    expect(left.status).toBe(403);
  });
});
