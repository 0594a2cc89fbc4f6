import { readdirSync, readFileSync } from 'node:fs';
import { buildSchema, isEnumType } from 'graphql';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { t } from '../../src/dashboard/i18n/t.ts';
import { Trans } from '../../src/dashboard/i18n/trans.ts';
import { explanations } from '../../src/dashboard/errors/explanations.ts';
import { problemCodes } from '../../schema/errors/problem-codes.ts';

const folder = new URL('../../src/dashboard/i18n/', import.meta.url);
const read = (file: string): Record<string, string> =>
  JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Record<string, string>;
const english = read('en.json');
const translations = readdirSync(folder).filter((file) => file.endsWith('.json') && file !== 'en.json');

/** The placeholders in a text, and the elements in it. */
const findParts = (text: string): string[] => (text.match(/\{\w+\}|<\/?\w+>/g) ?? []).toSorted();

/** A text with a form for one and one for many, or with a meaning of its own: `Open_verb`. */
const isForm = (key: string): boolean => /^(?!api: ).*_[a-z]+$/.test(key);
const withoutForm = (key: string): string => (isForm(key) ? key.replace(/_[a-z]+$/, '') : key.replace(/^api: /, ''));

describe.each(translations)('%s', (file) => {
  const texts = read(file);

  it('has each text, with all that is put into it', () => {
    for (const [key, text] of Object.entries(texts)) {
      expect([key, text.trim()]).not.toEqual([key, '']);
      // A form for one may leave out the number.
      if (!key.endsWith('_one')) expect([key, findParts(text)]).toEqual([key, findParts(withoutForm(key))]);
    }
  });

  it('has names of what the API has enums for', () => {
    const schema = buildSchema(readFileSync(new URL('../../schema/schema.graphql', import.meta.url), 'utf8'));
    for (const name of shownEnums) {
      const type = schema.getType(name);
      if (!isEnumType(type)) throw new Error(`${name} is no enum.`);
      for (const { name: value } of type.getValues()) expect(Object.keys(texts)).toContain(`api: ${inWords(value)}`);
    }
  });
});

/** Those of which pages show values that they don't know. */
const shownEnums = [
  'BulkOperationStatus',
  'BulkResource',
  'CustomerType',
  'DeliveryKind',
  'ExportResource',
  'ExportStatus',
  'InvoiceStatus',
  'MatchStatus',
  'MatchType',
  'PaymentKind',
  'ProjectStatus',
  'ReceiptStatus',
];

const inWords = (name: string): string => `${name.charAt(0)}${name.slice(1).toLowerCase().replaceAll('_', ' ')}`;

it('English has the forms of each text with a number, and no other text', () => {
  for (const file of translations) {
    const forms = Object.keys(read(file)).filter(isForm);
    expect(new Set(Object.keys(english))).toEqual(new Set(forms));
  }
  for (const [key, text] of Object.entries(english)) if (key.endsWith('_other')) expect(text).toBe(withoutForm(key));
});

it('each code of a problem has an explanation', () => {
  expect(new Set(Object.keys(explanations))).toEqual(new Set(Object.keys(problemCodes)));
});

it('a name that is put into a text with elements stays text', () => {
  const payer = '<a>x</a> & "y" <script>';
  const html = renderToStaticMarkup(
    createElement(Trans<'{name} of {amount} on {day}, by <a>{payer}</a>'>, {
      i18nKey: '{name} of {amount} on {day}, by <a>{payer}</a>',
      values: { name: '<b>n</b>', amount: '1', day: 'd', payer },
      components: { a: createElement('i') },
    }),
  );
  expect(html).toBe(
    '&lt;b&gt;n&lt;/b&gt; of 1 on d, by <i>&lt;a&gt;x&lt;/a&gt; &amp; &quot;y&quot; &lt;script&gt;</i>',
  );
});

it('a name that is written from right to left is kept apart from the digits behind it', () => {
  const values = { name: 'חברה', amount: '€7.00', day: '1 May' };
  expect(t('{name} of {amount} on {day}', values)).toBe('\u2068חברה\u2069 of €7.00 on 1 May');
  const element = createElement(Trans<'{name} of {amount} on {day}, by <a>{payer}</a>'>, {
    i18nKey: '{name} of {amount} on {day}, by <a>{payer}</a>',
    components: { a: createElement('b') },
    values: { ...values, name: 'Payment', payer: 'شركة' },
  });
  expect(renderToStaticMarkup(element)).toBe('Payment of €7.00 on 1 May, by <b>\u2068شركة\u2069</b>');
});
