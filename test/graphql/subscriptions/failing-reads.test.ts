import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { planDeliveries } from '../../../schema/resources/delivery/attempts.ts';
import { runScript } from '../../harness.ts';
import { makeCustomer, makeDelivery } from '../books.ts';
import {
  acme,
  openStream,
  sendSubscription,
  service,
  serveSubscriptions,
  until,
  type Stream,
} from './subscriptions.ts';

// A read for a subscription can fail, as any other. Nothing must be missed then without the client's knowledge.

serveSubscriptions();

let undo: (() => Promise<void>) | undefined;
afterEach(async () => {
  await undo?.();
  undo = undefined;
});

/** Has each read of a table's rows fail, by default as if PostgreSQL had cancelled it, until it is undone. Writes succeed. */
async function failReads(table: string, errcode = 'query_canceled'): Promise<void> {
  await runScript(
    service,
    `create or replace function refuse_reads() returns boolean language plpgsql as $$
     begin
       if current_query() !~* '^\\s*select' then return true; end if;
       raise exception using errcode = '${errcode}', message = 'refused by a test';
     end
     $$;
     create policy refuse_reads on ${table} as restrictive for select to kontor_books using (refuse_reads());`,
  );
  undo = async () => void (await service.pool.query(`drop policy refuse_reads on ${table}`));
}

const subscribe = (field: string): Promise<Stream> =>
  openStream(sendSubscription(`subscription { ${field} }`, acme, service.url));

const received = ({ text }: Stream): Record<string, { id: string; cursor: string }>[] =>
  [...text.matchAll(/^event: next\ndata: (.*)\n\n/gm)].map(([, data = '']) => JSON.parse(data).data);

it('ends when changes can’t be read, and misses none of them when it is opened again', async () => {
  const stream = await subscribe('changes { id cursor }');
  await makeCustomer(acme);
  await until(() => received(stream).length === 1);
  await failReads('changes');
  const missed = await makeCustomer(acme);
  await until(() => stream.closed);
  expect(stream.text).not.toContain('complete');
  await undo?.();
  undo = undefined;
  const again = await subscribe(`changes(since: "${received(stream)[0]?.['changes']?.cursor}") { id cursor }`);
  await until(() => received(again).length === 1);
  expect(received(again)).toMatchObject([{ changes: { id: missed } }]);
});

it('ends when an item can’t be read', async () => {
  const stream = await subscribe('deliveryChanged { id }');
  await failReads('deliveries');
  await makeDelivery(acme);
  await until(() => stream.closed);
  expect(stream.text).not.toContain('complete');
});

it('ends when a field of an item can’t be read', async () => {
  const stream = await subscribe('changes { id data { ... on Customer { companyName } } }');
  await failReads('customers');
  await makeCustomer(acme);
  await until(() => stream.closed);
  expect(received(stream)).toEqual([]);
});

it('ends when the events that it begins with can’t be read', async () => {
  const { id } = await acme.db.event.create({ data: { type: 'customer.created', body: '{}' } });
  await planDeliveries(acme.db, id, new Date());
  await failReads('events');
  const stream = await subscribe('eventEmitted(since: "2026-01-01T00:00:00Z") { id }');
  await until(() => stream.closed);
  expect(stream.text).not.toContain('complete');
});

it('goes on after an item that is gone', async () => {
  const stream = await subscribe('deliveryChanged { id }');
  const gone = '018f0000-0000-7000-8000-000000000000';
  await service.pool.query(`select pg_notify('deliveries', $1)`, [`${acme.tenantId} ${gone} ${gone}`]);
  await until(() => stream.text.includes('NOT_FOUND'));
  const { id } = await makeDelivery(acme);
  await until(() => stream.text.includes(id));
  expect(stream.closed).toBe(false);
});

it('names the request in an internal error of an item, and in the log', async () => {
  const stream = await subscribe('deliveryChanged { id }');
  await failReads('deliveries', 'division_by_zero');
  await makeDelivery(acme);
  await until(() => stream.text.includes('"errors"'));
  const requestId = stream.answer.headers['x-request-id'];
  expect(stream.text).toContain(`"extensions":{"code":"INTERNAL_SERVER_ERROR","requestId":"${requestId}"}`);
  expect(
    service.log.filter((line) => line.includes('internal error')).map((line) => JSON.parse(line).requestId),
  ).toEqual([requestId]);
  expect(stream.closed).toBe(false);
});

describe('before it begins', () => {
  /** Has the function fail by which a subscription to changes begins. */
  async function failBeginning(errcode: string): Promise<void> {
    await runScript(
      service,
      `alter function last_change_position(uuid) rename to replaced;
       create function last_change_position(tenant uuid) returns bigint language plpgsql as $$
       begin
         raise exception using errcode = '${errcode}', message = 'refused by a test';
       end
       $$;`,
    );
    const script = `drop function last_change_position(uuid); alter function replaced(uuid) rename to last_change_position;`;
    undo = () => runScript(service, script);
  }

  async function begin(): Promise<{ status: number | undefined; headers: IncomingHttpHeaders; text: string }> {
    const [answer] = (await once(
      sendSubscription('subscription { changes { id } }', acme, service.url),
      'response',
    )) as [IncomingMessage];
    let text = '';
    for await (const chunk of answer) text += String(chunk);
    return { status: answer.statusCode, headers: answer.headers, text };
  }

  it('names the request in an internal error', async () => {
    await failBeginning('division_by_zero');
    const { headers, text } = await begin();
    expect(text).toContain(`"requestId":"${headers['x-request-id']}"`);
  });

  it('answers with 503 where it can begin later, so that its client tries again', async () => {
    await failBeginning('query_canceled');
    const { status, headers, text } = await begin();
    expect(text).toContain('"code":"UNAVAILABLE"');
    expect([status, headers['retry-after']]).toEqual([503, '5']);
  });
});
