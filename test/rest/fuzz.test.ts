import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../rest-shim/routes.ts';
import { startService, type Answer, type Integrator, type Service } from '../harness.ts';
import * as sample from './samples.ts';
import { refusal, writing, type Writing } from './samples.ts';

// Anything at all, against every endpoint: only documented statuses, always the documented shapes, no fault in the log.

let service: Service;
let acme: Integrator;
let endpoints: Writing[];

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  endpoints = await writing(acme);
});
afterAll(() => service.close());
afterEach(() => sample.noFaults(service));

const seconds = 5;
const bounded = { interruptAfterTimeLimit: seconds * 1000, numRuns: 100_000, markInterruptAsFailure: false };

const encoded = (part: string): string => encodeURIComponent(part.toWellFormed());

function documented(answer: Answer, success: number): void {
  if (answer.status === success) {
    if (success === 204) expect(answer.text).toBe('');
    else expect(answer.body).toMatchObject({ data: expect.anything() });
  } else {
    expect([404, 422]).toContain(answer.status);
    const errors = refusal(answer, answer.status);
    if (answer.status === 422) expect(Object.keys(errors)).not.toEqual([]);
  }
}

const nasty = fc.constantFrom(
  '',
  ' ',
  '\0',
  '\ud800',
  '%',
  '0',
  '-1',
  '1e400',
  '12,50',
  'NaN',
  '2026-02-30',
  '0000-01-01',
  '9999-12-31',
  'EUR',
  'DE',
  'issued',
  'paid',
  'active',
  'customer',
  'supplier',
  '__proto__',
  'constructor',
  sample.unknownId,
  'x'.repeat(300),
);
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, 1, -1, 1440, 1e15, 1e21, 1e-7),
);
const scalar = fc.oneof(nasty, fc.string({ unit: 'binary' }), number, fc.boolean(), fc.constant(null));
const value = fc.oneof({ arbitrary: scalar, weight: 6 }, { arbitrary: fc.jsonValue({ maxDepth: 3 }), weight: 1 });

/** A body that is accepted, with some of its fields replaced, left out, or joined by others. */
const mutated = (body: object): fc.Arbitrary<object> => {
  const fields = Object.entries(body).map(([name, original]) => {
    const isList = Array.isArray(original);
    const items = isList ? fc.array(mutated(original[0]), { maxLength: 3 }) : value;
    const arbitrary: fc.Arbitrary<unknown> = fc.oneof(
      { arbitrary: fc.constant(original as unknown), weight: 6 },
      { arbitrary: items, weight: 2 },
      { arbitrary: value, weight: 1 },
    );
    return [name, arbitrary] as const;
  });
  const known = fc.record(Object.fromEntries(fields), { requiredKeys: [] });
  const unknown = fc.oneof(
    { arbitrary: fc.constant({}), weight: 8 },
    { arbitrary: fc.dictionary(fc.string(), value, { maxKeys: 2 }), weight: 1 },
  );
  return fc.tuple(known, unknown).map(([some, more]) => ({ ...more, ...some }));
};

describe('anything, against every endpoint', () => {
  it(`bodies, for ${seconds} seconds`, async () => {
    const statuses = new Set<number>();
    const request = fc.nat({ max: endpoints.length - 1 }).chain((index) => {
      const [method, path, body] = endpoints[index]!;
      const anything = fc.oneof({ arbitrary: mutated(body), weight: 8 }, { arbitrary: fc.jsonValue(), weight: 1 });
      const text = fc.oneof(
        { arbitrary: anything.map((json) => JSON.stringify(json)), weight: 20 },
        { arbitrary: fc.string(), weight: 1 },
      );
      return text.map((sent) => ({ method, path, sent }));
    });
    await fc.assert(
      fc.asyncProperty(request, async ({ method, path, sent }) => {
        const answer = await acme.rest(method, path, sent);
        documented(answer, method === 'POST' ? 201 : 200);
        statuses.add(answer.status);
      }),
      bounded,
    );
    // It went both ways, or it tried nothing.
    expect([...statuses].toSorted()).toEqual(expect.arrayContaining([200, 201, 422]));
  });

  it(`ids and query strings, for ${seconds} seconds`, async () => {
    const statuses = new Set<number>();
    const name = fc.constantFrom(
      'page',
      'per_page',
      'type',
      'q',
      'status',
      'customer_id',
      'from',
      'to',
      'match_status',
      'first',
      '__proto__',
      'page[]',
    );
    const text = fc.oneof(
      scalar.map(String),
      fc.constantFrom('1', '2', '100', '101', 'draft', 'unmatched', '2026-03-01'),
    );
    const query = fc.oneof(
      fc
        .array(fc.tuple(name, text), { maxLength: 4 })
        .map((pairs) => pairs.map(([key, to]) => `${encoded(key)}=${encoded(to)}`).join('&')),
      fc.webQueryParameters(),
      fc.constantFrom('%', '%zz=%zz', '&&&', '=', '?', '#', 'page=%31', 'q=%00', 'page=1&page=0'),
    );
    const id = fc.oneof(
      fc.uuid(),
      fc.constantFrom(sample.unknownId, sample.unknownId.toUpperCase()),
      fc.webSegment(),
      scalar.map((part) => encoded(String(part))),
    );
    const row = fc.constantFrom(...routes.filter(([method]) => method === 'GET' || method === 'DELETE'));
    await fc.assert(
      fc.asyncProperty(row, id, query, async ([method, path], at, search) => {
        // A segment of nothing or dots leads elsewhere.
        fc.pre(!/^(\.|%2e)*$/i.test(at));
        const answer = await acme.rest(method, `${path.replace(':id', at)}?${search}`);
        documented(answer, method === 'GET' ? 200 : 204);
        statuses.add(answer.status);
      }),
      bounded,
    );
    expect([...statuses].toSorted()).toEqual(expect.arrayContaining([200, 404, 422]));
  });
});
