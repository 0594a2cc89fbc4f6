import { expect, it } from 'vitest';
import { listFiles, readText } from './references.ts';

/** The most words of all documents together. Who adds some takes others out, so that a person can still read them all. */
const mostWords = 32_000;

const documents = listFiles().filter((path) => path.endsWith('.md'));

/** Counts as `wc -w` does. */
const countWords = (text: string): number => text.match(/\S+/g)?.length ?? 0;

it('counts words as they are, placeholders and code too', () => {
  expect(countWords('\n# A `b c`\n\n{{table:limits}}\t| d |\n')).toBe(8);
});

it(`all documents together have at most ${mostWords} words`, () => {
  expect(documents).toContain('src/pages/guides/limits.md');
  const counted = documents.map((path) => [path, countWords(readText(path))] as const);
  const total = counted.reduce((sum, [, words]) => sum + words, 0);
  const longest = counted
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 5)
    .map(([path, words]) => `${path}: ${words}`)
    .join(', ');
  expect(total, `${total} words; the longest documents are ${longest}`).toBeLessThanOrEqual(mostWords);
});
