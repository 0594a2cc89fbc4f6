import MiniSearch from 'minisearch';
import type { Section } from './markdown.ts';

const fields = ['page', 'title', 'text'];
const storeFields = ['page', 'title', 'href', 'about'];
const aboutLength = 140;

/** Readers type words without accents too: the search in the browser leaves them out of what is typed. */
const withoutAccents = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '');

const shorten = (text: string): string =>
  text.length <= aboutLength ? text : `${text.slice(0, text.lastIndexOf(' ', aboutLength))} …`;

/** The file that the search loads: the options of MiniSearch, and its index of the parts of all pages, each below one heading. */
export function buildSearchIndex(pages: readonly { at: string; title: string; sections: Section[] }[]): string {
  const search = new MiniSearch({
    fields,
    storeFields,
    processTerm: (term) => withoutAccents(term.toLowerCase()),
  });
  const documents = pages.flatMap((page) =>
    page.sections.map(({ id, title, prose, code }) => ({
      page: page.title,
      title,
      href: id === '' ? page.at : `${page.at}#${id}`,
      about: shorten(prose),
      text: `${prose} ${code}`,
    })),
  );
  search.addAll(documents.map((document, id) => ({ id, ...document })));
  return JSON.stringify({ options: { fields, storeFields }, index: search });
}
