import { iso31661 } from 'iso-3166/1.js';
import { country, language } from './format.ts';

/** The countries, by name, as options of a selection. */
export const countries = iso31661
  .filter(({ state }) => state === 'assigned')
  .map(({ alpha2 }) => ({ value: alpha2, label: country(alpha2) }))
  .toSorted((a, b) => a.label.localeCompare(b.label));

/** The languages of documents, as options of a selection. */
export const languages = ['de', 'en'].map((code) => ({ value: code, label: language(code) }));
