import { CombinedError } from 'urql';
import { expect, it } from 'vitest';
import { faultsOf, inWords } from '../../src/dashboard/faults.ts';

const refused = (errors: Record<string, string[]>): CombinedError =>
  new CombinedError({ graphQLErrors: [{ message: 'No.', extensions: { code: 'VALIDATION_FAILED', errors } }] });

const fields = new Set(['url', 'events', 'items.0.quantity']);
const sort = (error: CombinedError) => faultsOf(error, (path) => fields.has(path));

it('what is wrong with a field stands beside it', () => {
  expect(sort(refused({ 'input.url': ['Must begin with https://.', 'Is too long.'] }))).toEqual({
    fields: { url: 'Must begin with https://. Is too long.' },
    rest: [],
  });
});

it('what is wrong with a line of a list stands in that line', () => {
  expect(sort(refused({ 'input.items.0.quantity': ['Must not be zero.'] })).fields).toEqual({
    'items.0.quantity': 'Must not be zero.',
  });
});

it('what is wrong within a field stands beside the field', () => {
  expect(sort(refused({ 'input.events.3': ['There is no such event.'] })).fields).toEqual({
    events: 'There is no such event.',
  });
});

it('what belongs to no field is said above them, and nothing is lost', () => {
  expect(sort(refused({ input: ['A tenant has at most 10 webhooks.'], 'input.color': ['Is unknown.'] })).rest).toEqual([
    'A tenant has at most 10 webhooks.',
    'color: Is unknown.',
  ]);
});

it('an error without fields is a sentence', () => {
  const error = new CombinedError({ graphQLErrors: [{ message: 'Not found.', extensions: { code: 'NOT_FOUND' } }] });
  expect(sort(error)).toEqual({ fields: {}, rest: ['Not found.'] });
});

it('a fault of ours is told with the number it is logged under', () => {
  const extensions = { code: 'INTERNAL_SERVER_ERROR', requestId: 'r-1' };
  expect(inWords(new CombinedError({ graphQLErrors: [{ message: 'x', extensions }] }))).toContain('r-1');
});

it('no answer is told as such', () => {
  expect(inWords(new CombinedError({ networkError: new TypeError('Failed to fetch') }))).toMatch(/can’t be reached/);
});
