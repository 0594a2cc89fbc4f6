import { text } from '../input/validators.ts';
import { escapeWildcards } from './comparators.ts';

/** The validator of a list's `q`. */
export const searchText = text(255);

/** The beginning of each description of `q`. */
export const wordsIn =
  'Words in any order. Each must occur in one of these fields, regardless of case and accents. The';

/**
 * Folds a text for comparison: lower case without accents, the same for composed and decomposed letters. The function
 * search_fold() of the migrations folds the stored text by the same rule.
 */
export function fold(value: string): string {
  const plain = value
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase();
  return plain.replace(/[øłđðħŧıςßæœþ]/g, (letter) => undecomposed[letter] ?? letter);
}

/** Replacements of letters that Unicode doesn't decompose. */
const undecomposed: Record<string, string> = {
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
  ς: 'σ',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
};

/** The words of `q`, each once, folded. A word that is part of another word is implied by it, and left out. */
export function splitWords(q: string): string[] {
  const words = [...new Set(fold(q).split(/\s+/u))].filter((word) => word !== '');
  return words.filter((word) => !words.some((other) => other !== word && other.includes(word)));
}

type Condition = { searchText: { contains: string } };

/** The condition that a row's searched fields contain a word. A trigram index serves it. */
export const containsWord = (word: string): Condition => ({ searchText: { contains: escapeWildcards(word) } });

/** The condition that the first of `fields` searched fields contains a word: the lines of the other fields follow it. */
export const containsInFirst = (word: string, fields: number): Condition => ({
  searchText: { contains: escapeWildcards(word) + '%\n'.repeat(fields - 1) },
});

/** The conditions, all of which must hold, that a row's searched fields contain each word of `q`, in any order. */
export const containsWords = (q: string): Condition[] => splitWords(q).map(containsWord);
