import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defaultTimeouts } from '../../src/server/http/timeouts.ts';
import { eventsDuring, listEvents, readBooks } from '../graphql/books.ts';
import { holdLock, runScript, startService, type Integrator, type Service } from '../harness.ts';
import * as sample from './samples.ts';
import { create, expectNoInternalError, refusal } from './samples.ts';

// Writes of batches: each item alone, or all or none; with an Idempotency-Key once.

let service: Service;
let acme: Integrator;
let customerId: string;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  acme = await service.integrator();
  customerId = (await create(acme, '/customers', sample.customer)).id;
});

const issued = () => ({ ...sample.invoice(customerId), status: 'issued' });
const wrong = () => ({ ...issued(), items: [{ ...sample.item, quantity: 0 }] });
const statusesOf = (results: { status: number }[]): number[] => results.map(({ status }) => status);

describe('"atomic": true', () => {
  it('writes all items with their numbers and events, in order', async () => {
    const items = Array.from({ length: 5 }, issued);
    const events = await eventsDuring(service, acme, async () => {
      const { status, body } = await acme.rest('POST', '/invoices/batch', { items, atomic: true });
      expect([status, statusesOf(body.results)]).toEqual([200, [201, 201, 201, 201, 201]]);
      const numbers = body.results.map(({ data }: { data: { number: string } }) => data.number);
      expect(numbers.map((number: string) => number.slice(5))).toEqual(['0001', '0002', '0003', '0004', '0005']);
    });
    expect(events.map(({ type }) => type)).toEqual(items.flatMap(() => ['invoice.created', 'invoice.issued']));
    expect(events.flatMap(({ body }) => body.data.invoice.number ?? []).map((number) => number.slice(-1))).toEqual([
      ...'12345',
    ]);
  });

  it.each([
    ['the first', () => [wrong(), issued(), issued()]],
    ['the last', () => [issued(), issued(), wrong()]],
    ['several', () => [wrong(), issued(), wrong()]],
  ])('writes nothing if %s is refused, and names all that is wrong', async (_which, make) => {
    const before = await readBooks(service, acme);
    const items = make();
    const { status, body, headers } = await acme.rest('POST', '/invoices/batch', { items, atomic: true });
    const isWrong = items.map((item) => item.items[0]?.quantity === 0);
    const names = isWrong.flatMap((each, at) => (each ? [`items.${at}.items.0.quantity`] : []));
    expect(status).toBe(422);
    expect(Object.keys(body.errors)).toEqual(names);
    expect(body.details.map(({ field }: { field: string }) => field)).toEqual(names);
    expect(body.request_id).toBe(headers.get('x-request-id'));
    expect(body.results).toEqual(
      isWrong.map((each) =>
        each
          ? {
              status: 422,
              message: expect.any(String),
              errors: { 'items.0.quantity': [expect.any(String)] },
              details: [{ field: 'items.0.quantity', code: 'zero', message: expect.any(String), params: {} }],
            }
          : { status: 424, message: expect.any(String) },
      ),
    );
    expect(await readBooks(service, acme)).toEqual(before);
    const { data } = (await acme.rest('POST', '/invoices', issued())).body;
    expect(data.number).toMatch(/-0001$/);
  });

  it('changes all or nothing by PATCH', async () => {
    const ids = [customerId, (await create(acme, '/customers', sample.customer)).id];
    const before = await readBooks(service, acme);
    for (const last of [{ id: sample.unknownId }, { id: customerId, zip: 1 }, { city: 'x' }, null]) {
      const items = [...ids.map((id) => ({ id, city: 'Ulm' })), last];
      const { status, body } = await acme.rest('PATCH', '/customers/batch', { items, atomic: true });
      expect([last, status, statusesOf(body.results).slice(0, 2)]).toEqual([last, 422, [424, 424]]);
      expect(await readBooks(service, acme)).toEqual(before);
    }
    const items = ids.map((id) => ({ id, city: 'Ulm' }));
    const { body } = await acme.rest('PATCH', '/customers/batch', { items, atomic: true });
    expect(body.results.map(({ data }: { data: { city: string } }) => data.city)).toEqual(['Ulm', 'Ulm']);
  });

  it('lets later items see earlier ones', async () => {
    const items = [
      { id: customerId, city: 'Ulm' },
      { id: customerId, country: 'DE' },
    ];
    const { body } = await acme.rest('PATCH', '/customers/batch', { items, atomic: true });
    expect(body.results[1].data).toMatchObject({ city: 'Ulm', country: 'DE' });
  });
});

describe('without it', () => {
  it('leaves no gap in the numbers, and the events of what was written only', async () => {
    const items = [issued(), wrong(), issued(), { ...issued(), customer_id: sample.unknownId }, issued()];
    const events = await eventsDuring(service, acme, async () => {
      const { body } = await acme.rest('POST', '/invoices/batch', { items }, { 'idempotency-key': 'gaps' });
      expect(statusesOf(body.results)).toEqual([201, 422, 201, 422, 201]);
      const numbers = body.results.flatMap(({ data }: { data?: { number: string } }) => data?.number.slice(-4) ?? []);
      expect(numbers).toEqual(['0001', '0002', '0003']);
    });
    expect(events).toHaveLength(6);
  });

  it('answers 500 for an item that finds a fault, logs it, and goes on', async () => {
    await runScript(
      service,
      `create function fail_on_faulty() returns trigger language plpgsql as $$ begin
         if new.city = 'faulty' then raise exception 'a fault'; end if; return new; end $$;
       create trigger faulty before insert on customers for each row execute function fail_on_faulty()`,
    );
    const items = [sample.customer, { ...sample.customer, city: 'faulty' }, sample.customer];
    for (const key of [undefined, 'fault']) {
      const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
      const { status, body } = await acme.rest('POST', '/customers/batch', { items }, headers);
      expect([status, statusesOf(body.results)]).toEqual([200, [201, 500, 201]]);
      expect(body.results[1]).toEqual({ status: 500, message: expect.stringContaining('logged') });
    }
    expect((await acme.rest('GET', '/customers')).body.meta.total).toBe(5);
    const before = await readBooks(service, acme);
    refusal(await acme.rest('POST', '/customers/batch', { items, atomic: true }), 500);
    expect(await readBooks(service, acme)).toEqual(before);
    expect(service.log.filter((line) => line.includes('a fault'))).toHaveLength(3);
    service.log.length = 0;
    await runScript(service, 'drop trigger faulty on customers; drop function fail_on_faulty()');
  });
});

describe('an Idempotency-Key', () => {
  it.each([false, true])('does a batch once, and repeats its answer; atomic: %s', async (atomic) => {
    const key = { 'idempotency-key': 'k' };
    for (const items of [
      [issued(), issued()],
      [issued(), wrong(), issued()],
    ]) {
      const path = '/invoices/batch';
      const named = { ...key, 'idempotency-key': `k${items.length}` };
      const first = await acme.rest('POST', path, { items, atomic }, named);
      const after = await readBooks(service, acme);
      const events = await listEvents(service, acme);
      const again = await acme.rest('POST', path, { items, atomic }, named);
      expect([again.status, again.text]).toEqual([first.status, first.text]);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(await readBooks(service, acme)).toEqual(after);
      expect(await listEvents(service, acme)).toEqual(events);
      const other = await acme.rest('POST', path, { items: items.toReversed().slice(1), atomic }, named);
      expect(Object.keys(refusal(other, 422))).toEqual(['Idempotency-Key']);
    }
    expectNoInternalError(service);
  });

  it('does concurrent duplicates once', async () => {
    const send = () =>
      acme.rest('POST', '/customers/batch', { items: [sample.customer, {}] }, { 'idempotency-key': 'same' });
    const answers = await Promise.all([send(), send(), send()]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await acme.rest('GET', '/customers')).body.meta.total).toBe(2);
  });
});

describe('when the database refuses an item for now', () => {
  it('begins no other item, and an atomic batch is answered 503, which no key repeats', async () => {
    const busy = await startService();
    try {
      const who = await busy.integrator();
      await runScript(
        busy,
        `create function be_full() returns trigger language plpgsql as $$ begin
           if new.city = 'Full' then raise exception 'no space left' using errcode = '53100'; end if;
           return new; end $$;
         create trigger is_full before insert on customers for each row execute function be_full()`,
      );
      const full = { ...sample.customer, city: 'Full' };
      const items = [sample.customer, full, sample.customer];
      const send = (key: string, body: object) =>
        who.rest('POST', '/customers/batch', body, { 'idempotency-key': key });
      const count = async (): Promise<number> => (await who.rest('GET', '/customers')).body.meta.total;

      refusal(await send('together', { items, atomic: true }), 503);
      refusal(await send('full first', { items: [full, sample.customer] }), 503);
      expect(await count()).toBe(0);
      const { status, body } = await send('each', { items });
      expect([status, statusesOf(body.results)]).toEqual([200, [201, 503, 503]]);
      expect(await count()).toBe(1);

      await runScript(busy, 'drop trigger is_full on customers');
      const again = await send('together', { items, atomic: true });
      expect([again.status, statusesOf(again.body.results)]).toEqual([200, [201, 201, 201]]);
    } finally {
      await busy.close();
    }
  });
});

describe('when the time is over', () => {
  it('says which items were not begun, and an atomic batch writes nothing', async () => {
    const slow = await startService({ timeouts: { ...defaultTimeouts, responseMs: 3000 } });
    try {
      const who = await slow.integrator();
      await runScript(
        slow,
        `create function wait() returns trigger language plpgsql as $$ begin
           perform pg_advisory_xact_lock_shared(77); return new; end $$;
         create trigger waits before insert on customers for each row execute function wait()`,
      );
      const items = Array.from({ length: 4 }, () => sample.customer);
      for (const atomic of [false, true]) {
        const release = await holdLock(slow, 77);
        setTimeout(() => void release(), 2300);
        const { status, body } = await who.rest('POST', '/customers/batch', { items, atomic });
        if (atomic) expect(status).toBe(503);
        else expect([status, statusesOf(body.results)]).toEqual([200, [201, 503, 503, 503]]);
        expect((await who.rest('GET', '/customers')).body.meta.total).toBe(1);
      }
    } finally {
      await slow.close();
    }
  });
});
