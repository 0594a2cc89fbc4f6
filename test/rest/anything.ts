import * as fc from 'fast-check';
import { expect } from 'vitest';
import { routes } from '../../rest-shim/routes.ts';
import { anyCharacter } from '../characters.ts';
import type { Answer } from '../harness.ts';
import * as sample from './samples.ts';
import { refusal } from './samples.ts';
import type { BodyEndpoint } from '../resources.ts';

// Generates bodies, ids, and query strings of any kind, and checks the answers.

const encoded = (part: string): string => encodeURIComponent(part.toWellFormed());

/** Expects a documented status with its documented shape. */
export function documented(answer: Answer, success: number): void {
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
const scalar = fc.oneof(nasty, fc.string({ unit: anyCharacter }), number, fc.boolean(), fc.constant(null));
const value = fc.oneof({ arbitrary: scalar, weight: 6 }, { arbitrary: fc.jsonValue({ maxDepth: 3 }), weight: 1 });

/** A valid body with some fields replaced, omitted, or added. */
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

/** A body that is valid, or nearly, or of any kind. */
export const anyBody = (valid: object): fc.Arbitrary<unknown> =>
  fc.oneof(
    { arbitrary: fc.constant(valid), weight: 4 },
    { arbitrary: mutated(valid), weight: 8 },
    { arbitrary: fc.jsonValue(), weight: 1 },
  );

/** A request with a body to one of the endpoints. The body is JSON of any kind, or no JSON. */
export const bodyRequest = (endpoints: BodyEndpoint[]) => {
  return fc.nat({ max: endpoints.length - 1 }).chain((index) => {
    const [method, path, body] = endpoints[index]!;
    const anything = fc.oneof({ arbitrary: mutated(body), weight: 8 }, { arbitrary: fc.jsonValue(), weight: 1 });
    const text = fc.oneof(
      { arbitrary: anything.map((json) => JSON.stringify(json)), weight: 20 },
      { arbitrary: fc.string(), weight: 1 },
    );
    return text.map((sent) => ({ method, path, sent }));
  });
};

/** A GET or DELETE request with any id and any query string. */
export const addressRequest = () => {
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
  // An empty segment or one of dots changes the path.
  const segment = id.filter((at) => !/^(\.|%2e)*$/i.test(at));
  return fc
    .tuple(row, segment, query)
    .map(([[method, path], at, search]) => ({ method, path: `${path.replace(':id', at)}?${search}` }));
};
