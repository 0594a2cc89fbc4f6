import { readdirSync, readFileSync } from 'node:fs';
import { CombinedError } from 'urql';
import { describe, expect, it } from 'vitest';
import { money } from '../../src/dashboard/format/format.ts';
import { numberExample } from '../../src/dashboard/forms/form-values.ts';
import { buildFormErrors, changeByOthers, errorMessage } from '../../src/dashboard/errors/form-errors.ts';
import { changes } from '../../src/dashboard/errors/plain-messages.ts';

type Said = string | [code: string, message: string, params: Record<string, string>];

function refused(fields: Record<string, Said[]>): CombinedError {
  const details = Object.entries(fields).flatMap(([field, all]) =>
    all.map((said) => {
      const [code, message, params] = typeof said === 'string' ? ['wrong_state', said, {}] : said;
      return { field, code, message, params };
    }),
  );
  const extensions = { code: 'VALIDATION_FAILED', details };
  return new CombinedError({ graphQLErrors: [{ message: 'No.', extensions }] });
}

const formFields = new Set(['url', 'events', 'items.0.quantity']);
const assign = (error: CombinedError) => buildFormErrors(error, (path) => formFields.has(path));

it('an error of a field is assigned to the field', () => {
  expect(assign(refused({ 'input.url': ['Must begin with https://.', 'Is too long.'] }))).toEqual({
    fields: { url: 'Must begin with https://. Is too long.' },
    rest: [],
  });
});

it('an error of a line is assigned to the line’s field', () => {
  expect(assign(refused({ 'input.items.0.quantity': ['Must not be zero.'] })).fields).toEqual({
    'items.0.quantity': 'Must not be zero.',
  });
});

it('an error inside a field’s value is assigned to the field', () => {
  expect(assign(refused({ 'input.events.3': ['There is no such event.'] })).fields).toEqual({
    events: 'There is no such event.',
  });
});

it('other errors are kept for the form', () => {
  expect(
    assign(refused({ input: ['A tenant has at most 10 webhooks.'], 'input.color': ['Is unknown.'] })).rest,
  ).toEqual(['A tenant has at most 10 webhooks.', 'Color: Is unknown.']);
});

it('other errors name their field in words', () => {
  const errors = {
    'input.items.1.unitPriceNet': ['Must be at least 0.'],
    'filter.dueDate.gte': ['Must not be after the last day.'],
    id: ['Only a draft can be changed.'],
  };
  expect(assign(refused(errors)).rest).toEqual([
    'Line 2, unit price net: Must be at least 0.',
    'Due date: Must not be after the last day.',
    'Only a draft can be changed.',
  ]);
});

it('technical messages are replaced', () => {
  const notUuid: Said = ['invalid_format', 'Must be a UUID.', { format: 'uuid' }];
  const { rest, fields: messages } = assign(
    refused({
      'input.url': [notUuid],
      'input.customerId': [notUuid],
      'input.invoiceDate': [['invalid_format', 'Must be a calendar day, YYYY-MM-DD.', { format: 'date' }]],
      'input.items.0.quantity': [['invalid_format', 'Must be a number.', { format: 'decimal' }]],
    }),
  );
  expect(messages).toEqual({ url: 'Choose one.', 'items.0.quantity': `Enter a number, such as ${numberExample}.` });
  expect(rest).toEqual(['Customer: Choose one.', 'Invoice date: Enter a date.']);
  expect(errorMessage(refused({ id: [notUuid], amount: ['Must not be more than the 59.5 EUR due.'] }))).toBe(
    `Choose one. Must not be more than the ${money('59.5', 'EUR')} due.`,
  );
});

it('an error without fields is a sentence', () => {
  const error = new CombinedError({ graphQLErrors: [{ message: 'Not found.', extensions: { code: 'NOT_FOUND' } }] });
  expect(assign(error)).toEqual({ fields: {}, rest: ['Not found.'] });
});

it('an internal error has the request id that is in the log', () => {
  const extensions = { code: 'INTERNAL_SERVER_ERROR', requestId: 'r-1' };
  expect(errorMessage(new CombinedError({ graphQLErrors: [{ message: 'x', extensions }] }))).toContain('r-1');
});

it('too many requests are told from too many jobs by the reason, not by the text', () => {
  const refusedWith = (more: object): CombinedError =>
    new CombinedError({ graphQLErrors: [{ message: 'Wait for one.', extensions: { code: 'RATE_LIMITED', ...more } }] });
  expect(errorMessage(refusedWith({}))).toMatch(/^Too many requests at once/);
  expect(errorMessage(refusedWith({ reason: 'TOO_MANY_UNFINISHED', max: 5 }))).toBe('Wait for one.');
});

it('a network error has a message of its own', () => {
  expect(errorMessage(new CombinedError({ networkError: new TypeError('Failed to fetch') }))).toMatch(
    /can’t be reached/,
  );
});

describe('what others changed', () => {
  const folder = new URL('../../schema/resources/', import.meta.url);
  const source = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(new URL(file, folder), 'utf8'))
    .join('\n');

  it.each(changes)('is known by a refusal that the API has: %s', (refusal, text) => {
    expect(source.includes(`'${refusal}'`)).toBe(true);
    expect(changeByOthers(refused({ id: [refusal] }))).toBe(text);
  });

  it('is said of every refusal of a state', () => {
    const refusals = [...source.matchAll(/'(Only an? [^']* can be [^']*\.)'/g)].map(([, refusal]) => refusal);
    expect(refusals.length).toBeGreaterThan(5);
    expect(refusals.filter((refusal) => !changes.some(([known]) => known === refusal))).toEqual([]);
  });
});
