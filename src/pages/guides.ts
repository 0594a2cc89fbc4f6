import { readFileSync } from 'node:fs';
import { withFigures } from './figures.ts';
import { withTables } from './tables.ts';

export interface Guide {
  /** The last part of its address, and its file's name. */
  slug: string;
  title: string;
  /** Markdown, with the files it includes in place. */
  text: string;
  /** That of its text, where it isn't English. */
  language?: string;
}

const folder = new URL('guides/', import.meta.url);

/** The guides of each group, in the order they are read. */
export const groups: Record<string, string[]> = {
  'Get started': ['quick-start', 'authentication', 'test-tenants', 'versions'],
  REST: ['sdk', 'paging', 'syncing', 'bulk', 'errors', 'limits'],
  Webhooks: ['webhooks', 'testing-webhooks'],
  'Front ends': ['graphql'],
  Handbook: ['handbook', 'handbuch'],
  Bookkeeping: ['e-invoices', 'exports', 'moving'],
  Tools: ['command-line', 'agents'],
};

/** The languages of guides that aren't in English. */
const languages: Record<string, string> = { handbuch: 'de' };

/** @throws Error without a heading of the first level */
export function getTitle(slug: string, text: string): string {
  const title = /^# (.+)$/m.exec(text)?.[1];
  if (!title) throw new Error(`${slug} has no title`);
  return title;
}

/** The guides as written. Their fenced blocks are run by test/docs/. */
export const readGuides = (): Guide[] =>
  Object.values(groups)
    .flat()
    .map((slug) => {
      const text = withFigures(withTables(include(readFileSync(new URL(`${slug}.md`, folder), 'utf8'))));
      return { slug, title: getTitle(slug, text), text, language: languages[slug] };
    });

/** An empty fence with `file=NAME` shows that file, so that guides show tested code. */
const include = (text: string): string =>
  text.replaceAll(/^(```\w+(?: \S+)*) file=(\S+)\n```$/gm, (_, fence: string, file: string) => {
    const code = readFileSync(new URL(file, folder), 'utf8').trimEnd();
    return `${fence}\n${code}\n\`\`\``;
  });
