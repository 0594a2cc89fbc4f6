import { text } from '../input/validators.ts';

/** What a list's `q` may be. */
export const searchText = text(255);

/** How descriptions of `q` begin. */
export const wordsIn =
  'Words, in any order: each has to be found anywhere in these fields, whatever its case and accents. The';

/**
 * What a text is compared by: small letters without accents, the same for composed and decomposed letters. The same rule
 * as the function search_fold() of the migrations, which folds what is stored.
 */
export function fold(value: string): string {
  const plain = value
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase();
  return plain.replace(/[øłđðħŧıςßæœþ]/g, (letter) => undecomposed[letter] ?? letter);
}

/** Letters that Unicode doesn't decompose. */
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

/** The words of `q`, each once, folded. A word that another one holds is found with it, so it is left out. */
export function wordsOf(q: string): string[] {
  const words = [...new Set(fold(q).split(/\s+/u))].filter((word) => word !== '');
  return words.filter((word) => !words.some((other) => other !== word && other.includes(word)));
}

type Condition = { searchText: { contains: string } };

/** Prisma leaves LIKE's wildcards as they are. */
const escaped = (word: string): string => word.replace(/[\\%_]/g, '\\$&');

/** That a row's searched fields hold a word. The trigram index over them serves it. */
export const holding = (word: string): Condition => ({ searchText: { contains: escaped(word) } });

/** That the first of `fields` searched fields holds a word: as many lines follow as there are fields after it. */
export const holdingFirst = (word: string, fields: number): Condition => ({
  searchText: { contains: escaped(word) + '%\n'.repeat(fields - 1) },
});

/** The conditions, all of which must hold, under which a row's searched fields hold each word of `q`, in any order. */
export const containing = (q: string | null | undefined): Condition[] => wordsOf(q ?? '').map(holding);

/** Conditions as a part of `where`: nothing where there are none, so that a total of all rows needs no counting. */
export const allOf = <Where extends object>(conditions: Where[]): { AND?: Where[] } =>
  conditions.length > 0 ? { AND: conditions } : {};
