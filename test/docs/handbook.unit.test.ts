import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readGuides } from '../../src/pages/guides.ts';
import { handbookPictures } from '../dashboard/handbook-pictures.ts';

// The handbook names what the dashboard shows: its texts, and pictures that `npm run screenshots` takes.

const readTexts = (file: string): Record<string, string> =>
  JSON.parse(readFileSync(new URL(`../../src/dashboard/i18n/${file}`, import.meta.url), 'utf8')) as Record<
    string,
    string
  >;
const german = readTexts('de.json');
const textOf = (slug: string): string => readGuides().find((guide) => guide.slug === slug)?.text ?? '';
const findAll = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = '']) => found);

describe.each([
  { slug: 'handbook', language: 'en', texts: Object.keys(german) },
  { slug: 'handbuch', language: 'de', texts: Object.values(german) },
])('$slug', ({ slug, language, texts }) => {
  const text = textOf(slug);

  it('names texts of the dashboard', () => {
    const named = findAll(text, /\*\*([^*]+)\*\*/g);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((label) => !texts.includes(label))).toEqual([]);
  });

  it('shows each picture that is taken of its language, and no other', () => {
    const taken = handbookPictures.map(({ name }) => `${name}.png`).filter((name) => name.startsWith(`${language}-`));
    expect(findAll(text, /\]\(pictures\/([\w-]+\.png)\)/g).toSorted()).toEqual(taken.toSorted());
  });
});

it('both languages have the same sections, steps, and pictures', () => {
  const shape = (slug: string): string[] =>
    textOf(slug)
      .split('\n')
      .flatMap((line) => /^(?:##(?= )|\d+\.|!\[)/.exec(line)?.[0] ?? []);
  expect(shape('handbuch')).toEqual(shape('handbook'));
});

it('each picture is there', () => {
  const folder = new URL('../../src/pages/guides/pictures/', import.meta.url);
  expect(readdirSync(folder).toSorted()).toEqual(handbookPictures.map(({ name }) => `${name}.png`).toSorted());
});
