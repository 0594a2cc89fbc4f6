import { readFileSync } from 'node:fs';
import { withFigures } from './figures.ts';
import { withTables } from './tables.ts';

export interface Guide {
  /** The last part of its address, and its file's name. */
  slug: string;
  title: string;
  /** Markdown, with the files it includes in place. */
  text: string;
}

const folder = new URL('guides/', import.meta.url);

/** In the order they are read. */
const slugs = [
  'quick-start',
  'sdk',
  'authentication',
  'paging',
  'syncing',
  'bulk',
  'exports',
  'errors',
  'limits',
  'command-line',
  'webhooks',
  'testing-webhooks',
  'graphql',
  'agents',
  'e-invoices',
  'moving',
];

/** The guides as written. Their fenced blocks are run by test/docs/. */
export const readGuides = (): Guide[] =>
  slugs.map((slug) => {
    const text = withFigures(withTables(include(readFileSync(new URL(`${slug}.md`, folder), 'utf8'))));
    const title = /^# (.+)$/m.exec(text)?.[1];
    if (!title) throw new Error(`${slug}.md has no title`);
    return { slug, title, text };
  });

/** An empty fence with `file=NAME` shows that file, so that guides show tested code. */
const include = (text: string): string =>
  text.replaceAll(/^(```\w+) file=(\S+)\n```$/gm, (_, fence: string, file: string) => {
    const code = readFileSync(new URL(file, folder), 'utf8').trimEnd();
    return `${fence}\n${code}\n\`\`\``;
  });
