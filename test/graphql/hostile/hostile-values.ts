import { isEnumType, isListType, type GraphQLInputType, type GraphQLNullableType } from 'graphql';
import { unknownId } from '../../rest/samples.ts';
import { javaScriptNames } from '../../javascript-names.ts';
import { pick, type Random } from './hostile-aliases.ts';

// Generates values at and beyond the bounds of each type of the schema.

const texts = ['', ' ', '\0', 'a\0b', '\ud800', 'a\udfff', '\u202e', '\r\n', '🦆', "'; --", '${1}', '%00', '\\'];
/** Most limits of text lengths, and one more than each. */
const lengths = [1, 2, 3, 4, 20, 21, 32, 33, 40, 41, 64, 65, 255, 256, 2000, 2001, 5000, 5001, 100_000];
const numbers = ['0', '-0', '-1', '+1', '0.0001', '0.00001', '1e3', '1e-9', '1e400', 'NaN', 'Infinity', '0x1', ''];
const days = ['0000-01-01', '0001-01-01', '1970-01-01', '2026-02-29', '9999-12-31', '10000-01-01', '-0001-01-01'];
const times = ['T00:00:00Z', 'T23:59:59.999999999Z', 'T24:00:00Z', 'T23:59:60Z', 'T00:00:00+23:59', 'T00:00:00', ''];
const wholeNumbers = [0, -1, 1, 100, 101, 1440, 1441, 5999, 6000, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), 1.5, 1e300];
const ids = [
  unknownId,
  unknownId.toUpperCase(),
  `{${unknownId}}`,
  unknownId.slice(1),
  unknownId.replaceAll('-', ''),
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '1',
];
/** The limits of list lengths, and one more than each. */
const counts = [0, 1, 2, 20, 21, 100, 101, 500, 501, 5000];
const ofAnotherKind: unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  1e300,
  '',
  'x',
  [],
  {},
  [[]],
  [null],
  { toString: 1 },
];

const text = (r: Random): string => {
  if (r(3) === 0) return pick(r, texts);
  if (r(3) === 0) return pick(r, javaScriptNames);
  return pick(r, ['x', 'é', '1', '🦆']).repeat(pick(r, lengths));
};

function decimal(r: Random): string | number {
  if (r(3) === 0) return pick(r, numbers);
  const [whole, fraction] = ['9'.repeat(1 + r(20)), '9'.repeat(r(10))];
  const written = `${pick(r, ['', '', '-'])}${whole}${fraction && `.${fraction}`}`;
  return r(4) === 0 ? Number(written) : written;
}

const byType: Record<string, (r: Random) => unknown> = {
  String: text,
  Decimal: decimal,
  Int: (r) => pick(r, wholeNumbers),
  Date: (r) => pick(r, days),
  DateTime: (r) => pick(r, days) + pick(r, times),
  UUID: (r) => pick(r, ids),
};

/** @param usual generates a valid value of a type */
export function valueAtBound(
  r: Random,
  type: GraphQLNullableType & GraphQLInputType,
  usual: (type: GraphQLInputType) => unknown,
): unknown {
  if (r(5) === 0) return pick(r, ofAnotherKind);
  if (isListType(type)) {
    // One item many times: as many different ones would exceed the limit of the body.
    const item = r(2) === 0 ? usual(type.ofType) : text(r).slice(0, 300);
    return Array.from({ length: pick(r, counts) }, () => item);
  }
  if (isEnumType(type)) {
    const { name } = pick(r, type.getValues());
    return pick(r, [name, name.toLowerCase(), `${name} `, pick(r, javaScriptNames)]);
  }
  const make = byType[type.name];
  if (make) return r(6) === 0 ? text(r) : make(r);
  const value = usual(type);
  // An input with an unknown field.
  if (typeof value !== 'object' || value === null) return text(r);
  return Object.fromEntries([...Object.entries(value), [pick(r, javaScriptNames), text(r)]]);
}
