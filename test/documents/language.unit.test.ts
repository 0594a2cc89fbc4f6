import { expect, it } from 'vitest';
import { findLanguage } from '../../schema/codes/languages.ts';

it('a document’s language is the customer’s, else its country’s, else the company’s, else that of the company’s country', () => {
  const seller = { language: 'en', country: 'AT' } as const;
  expect(findLanguage({ seller, buyer: { language: 'en', country: 'DE' } })).toBe('en');
  expect(findLanguage({ seller, buyer: { country: 'DE' } })).toBe('de');
  expect(findLanguage({ seller: { ...seller, language: 'de' }, buyer: { country: 'GB' } })).toBe('en');
  // There are no documents in French.
  expect(findLanguage({ seller, buyer: { country: 'FR' } })).toBe('en');
  expect(findLanguage({ seller: { country: 'AT' }, buyer: { country: 'FR' } })).toBe('de');
  expect(findLanguage({ seller: { country: 'AT' }, buyer: {} })).toBe('de');
  expect(findLanguage({ seller: { country: 'NL' }, buyer: { country: 'NL' } })).toBeUndefined();
});
