import { GraphQLError, GraphQLScalarType } from 'graphql';
import { z } from 'zod';
import { isPlain } from '../../../prisma/client.ts';
import { builder } from '../builder.ts';
import { refusal } from '../input/issues.ts';
import { literalParser } from './scalars.ts';
import { hasAtMost, storable } from '../input/validators.ts';
import type { Problem } from '../../errors/problem-codes.ts';

/** Keys and values that clients keep with a resource. In an update, null removes a key. */
export type Metadata = Record<string, string | null | undefined>;

export const metadataBounds = { pairs: 20, key: 40, value: 500 } as const;

/** The order in which PostgreSQL has the keys of jsonb, so that a new row is answered like one that is read. */
const compareKeys = (a: Buffer, b: Buffer): number => a.length - b.length || Buffer.compare(a, b);

/** An object without a prototype: a key is a client's text, which may be __proto__. */
export function buildMetadata<Value>(pairs: Iterable<readonly [string, Value]>): Record<string, Value> {
  const sorted = [...pairs]
    .map(([key, value]) => ({ key, value, bytes: Buffer.from(key) }))
    .toSorted((a, b) => compareKeys(a.bytes, b.bytes));
  const built = Object.create(null) as Record<string, Value>;
  for (const { key, value } of sorted) built[key] = value;
  return built;
}

function parseMetadata(value: unknown): Metadata {
  if (!isPlain(value)) throw new GraphQLError('Must be an object.');
  return value as Metadata;
}

const type = new GraphQLScalarType({
  name: 'Metadata',
  description:
    'Pairs of strings, as an object: at most 20. A key has 1 to 40 characters, a value at most 500. In an update, null removes a key.',
  parseValue: parseMetadata,
  parseLiteral: literalParser(parseMetadata),
});
builder.addScalarType('Metadata', type);

const isTooLong = (text: string, max: number): boolean => text.length > max && !hasAtMost(max, text);

function findProblem(key: string, value: unknown, isUpdate: boolean): Problem | undefined {
  const { key: maxKey, value: maxValue } = metadataBounds;
  if (key === '') return ['required', 'A key must not be empty.'];
  if (isTooLong(key, maxKey))
    return ['too_long', `A key must not be longer than ${maxKey} characters.`, { max: maxKey }];
  if (!storable(key)) return ['invalid_format', 'A key must not contain NUL characters or lone surrogates.'];
  const name = JSON.stringify(key);
  if (value === null && isUpdate) return undefined;
  if (typeof value !== 'string')
    return ['wrong_type', `The value of ${name} must be a string.`, { expected: 'string' }];
  if (isTooLong(value, maxValue))
    return ['too_long', `The value of ${name} must not be longer than ${maxValue} characters.`, { max: maxValue }];
  if (!storable(value))
    return ['invalid_format', `The value of ${name} must not contain NUL characters or lone surrogates.`];
  return undefined;
}

export const tooManyPairs: Problem = [
  'wrong_count',
  `Must not have more than ${metadataBounds.pairs} pairs.`,
  { min: 0, max: metadataBounds.pairs },
];

/** @param most pairs: an update may remove as many as there may be, and set as many */
const validator = (isUpdate: boolean, most: number) =>
  z.custom<Metadata>().transform((value, issues) => {
    const pairs = Object.entries(value);
    const report = (problem: Problem): void => issues.addIssue({ code: 'custom', ...refusal(...problem) });
    if (pairs.length > most) report(tooManyPairs);
    else
      for (const [key, each] of pairs) {
        const problem = findProblem(key, each, isUpdate);
        if (problem) report(problem);
      }
    return buildMetadata(pairs);
  });

/** Pairs to compare with, all of which a row must have. */
export const comparedMetadata = validator(false, metadataBounds.pairs);
/** Pairs to set; null removes the key. */
export const metadata = validator(true, 2 * metadataBounds.pairs);
/** The pairs of a new row: null leaves a key out. */
export const newMetadata = metadata.transform((changes, issues): Metadata => {
  const pairs = mergeMetadata({}, changes);
  if (hasTooMany(pairs)) issues.addIssue({ code: 'custom', ...refusal(...tooManyPairs) });
  return pairs;
});

/** The pairs after a change: those that are named are set or removed, and others stay. Null removes all. */
export function mergeMetadata(before: unknown, changes: Metadata | null): Record<string, string> {
  const merged = new Map(changes === null ? [] : Object.entries(before as Record<string, string>));
  for (const [key, value] of Object.entries(changes ?? {}))
    if (value == null) merged.delete(key);
    else merged.set(key, value);
  return buildMetadata(merged);
}

export const hasTooMany = (pairs: object): boolean => Object.keys(pairs).length > metadataBounds.pairs;
