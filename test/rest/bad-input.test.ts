import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import * as sample from './samples.ts';
import { invalidFields, having, refusal } from './samples.ts';
import { bodyEndpoints, type BodyEndpoint } from '../resources.ts';

// Any input gets a documented answer with a helpful message, and is written as a whole or not at all.

let service: Service;
let acme: Integrator;
let endpoints: BodyEndpoint[];

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  endpoints = await bodyEndpoints(acme);
});
afterAll(() => service.close());
afterEach(() => sample.expectNoInternalError(service));

const rows = () => sample.rows(service);

const fieldsOf = (body: object): string[] =>
  Object.entries(body).flatMap(([name, value]) =>
    Array.isArray(value) && typeof value[0] === 'object'
      ? [name, ...Object.keys(value[0]).map((inner) => `${name}.0.${inner}`)]
      : [name],
  );

/** Values that only one row may have. */
const renewed = (body: object): object => ('iban' in body ? { ...body, iban: randomUUID() } : body);

describe('any value in any field is accepted, or answered 422 under its name', () => {
  it.each([
    ['an array', '[]'],
    ['an object', '{}'],
    ['an object with __proto__', '{"__proto__":{"x":1},"constructor":1}'],
    ['nesting', `${'['.repeat(500)}${']'.repeat(500)}`],
    ['objects nested', `${'{"items":'.repeat(500)}1${'}'.repeat(500)}`],
    ['true', 'true'],
    ['a number', '7'],
    ['1e400', '1e400'],
    ['-1e400', '-1e400'],
    ['1e-400', '1e-400'],
    ['1e999999999', '1e999999999'],
    ['"1e999999999"', '"1e999999999"'],
    ['a number of a thousand digits', '9'.repeat(1000)],
    ['a number of a hundred thousand digits', `"${'9'.repeat(100_000)}"`],
    ['a negative number', '-1'],
    ['a huge number', '99999999999999999999'],
    ['"12,50"', '"12,50"'],
    ['"NaN"', '"NaN"'],
    ['"Infinity"', '"-Infinity"'],
    ['hexadecimal', '"0x10"'],
    ['a number with blanks', '" 1 2 "'],
    ['Arabic digits', '"١٢"'],
    ['30 February', '"2026-02-30"'],
    ['year 0000', '"0000-01-01"'],
    ['year 0001', '"0001-01-01"'],
    ['year 9999', '"9999-12-31"'],
    ['year 10000', '"10000-01-01"'],
    ['a date with a time', '"2026-03-01T00:00:00Z"'],
    ['a name of Object’s', '"__proto__"'],
    ['an unknown code', '"XX"'],
    ['an unknown id', JSON.stringify(sample.unknownId)],
    ['a malformed id', '"0190a1b2-c3d4-7000-8000-00000000000g"'],
    ['the empty string', '""'],
    ['SQL', '"\'; drop table customers; --"'],
  ])('%s', async (_name, value) => {
    let before = await rows();
    for (const [method, path, body] of endpoints) {
      for (const field of fieldsOf(body)) {
        const answer = await acme.rest(
          method,
          path,
          JSON.stringify(having(renewed(body), field, '\uffff')).replace('"\uffff"', () => value),
        );
        if (answer.status < 300) {
          // A tenant has a limited number of webhooks.
          if (path === '/webhooks') await acme.rest('DELETE', `${path}/${answer.body.data.id}`);
          before = await rows();
          continue;
        }
        const named = invalidFields(answer);
        // Dates are compared with each other, a price with its currency, and a receipt with its lines: either field may be reported.
        const mine = (name: string) =>
          name === field ||
          name.startsWith(`${field}.`) ||
          /_date$|^to$|^items|^lines|^vat_rate$|^amount_gross$/.test(name);
        expect([path, field, named.filter((name) => !mine(name))]).toEqual([path, field, []]);
        expect(named.length).toBeGreaterThan(0);
        expect(await rows()).toEqual(before);
      }
    }
  });

  it.each([
    ['NUL characters', '"a\\u0000b"'],
    ['lone surrogates', '"a\\ud800b"'],
    ['lone surrogates, the other half', '"\\udc00"'],
    ['a million characters', `"${'x'.repeat(1_000_000)}"`],
  ])('%s in any text field are answered 422', async (_name, value) => {
    for (const [method, path, body] of endpoints) {
      for (const field of fieldsOf(body)) {
        const answer = await acme.rest(
          method,
          path,
          JSON.stringify(having(renewed(body), field, '\uffff')).replace('"\uffff"', () => value),
        );
        expect([path, field, invalidFields(answer)]).toEqual([path, field, [field]]);
      }
    }
  });
});

describe('filters', () => {
  it.each([
    ['/customers', 'type', ['%00', '1', '__proto__', 'constructor', '']],
    ['/customers', 'q', ['%00', 'x'.repeat(256), 'x'.repeat(8000)]],
    ['/invoices', 'status', ['%00', 'toString', 'DRAFT']],
    ['/invoices', 'customer_id', ['%00', '1', 'x', `${sample.unknownId}x`, '']],
    ['/receipts', 'status', ['paid%00', 'issued']],
    ['/projects', 'status', ['done', 'null']],
    [
      '/time-entries',
      'from',
      ['2026-02-30', '0000-01-01', '10000-01-01', '2026-13-01', 'today', '', '%00', '2026-3-1'],
    ],
    ['/time-entries', 'to', ['2026-02-29', '2026-03-01T00:00:00Z', '20260301', '-2026-03-01']],
    ['/bank-transactions', 'match_status', ['open', 'MATCHED']],
  ])('answer 422 to an invalid value: %s?%s', async (path, name, values) => {
    for (const value of values) {
      expect([value, invalidFields(await acme.rest('GET', `${path}?${name}=${value}`))]).toEqual([value, [name]]);
    }
  });

  it('match nothing with bytes that are not UTF-8', async () => {
    for (const q of ['%ff', '%ed%a0%80', '%c3%28', '%zz']) {
      const { status, body } = await acme.rest('GET', `/customers?q=${q}`);
      expect([q, status, body.data]).toEqual([q, 200, []]);
    }
  });

  it('accept years 0001 and 9999', async () => {
    const { status } = await acme.rest('GET', '/time-entries?from=0001-01-01&to=9999-12-31');
    expect(status).toBe(200);
  });
});

it('an unknown method is answered 405 on a known path, and 404 on another', async () => {
  for (const method of ['PUT', 'PROPFIND', 'QUERY', 'LOCK', 'PURGE']) {
    refusal(await acme.rest(method, '/customers'), 405);
    refusal(await acme.rest(method, `/customers/${sample.unknownId}`, method === 'PUT' ? {} : undefined), 405);
    refusal(await acme.rest(method, '/nothing'), 404);
  }
});
