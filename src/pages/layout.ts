import { escapeHtml } from '../server/pages.ts';
import type { Rendered } from './markdown.ts';

/** Addresses of assets, as built. */
export interface Assets {
  style: string;
  icon: string;
  /** Runs before the page is painted. */
  theme: string;
  search: string;
  /** Further scripts of pages of text. */
  scripts: string[];
}

/** A group of the side navigation. */
export interface Group {
  title: string;
  pages: { at: string; title: string }[];
}

const link = (href: string, text: string, current: string, more = ''): string =>
  `<a href="${href}"${more}${href === current ? ' aria-current="page"' : ''}>${escapeHtml(text)}</a>`;

export const scriptTags = (addresses: string[]): string =>
  addresses.map((address) => `\n    <script src="${address}" defer></script>`).join('');

const moduleTags = (addresses: string[]): string =>
  addresses.map((address) => `\n    <script type="module" src="${address}"></script>`).join('');

/** A place of the bar, marked on its own page and on those below it. */
const place = (href: string, text: string, at: string): string => {
  const section = ['/docs/api', '/docs'].find(
    (start) => at === start || at.startsWith(`${start}-`) || at.startsWith(`${start}/`),
  );
  return link(href, text, at, href === section && href !== at ? ' aria-current="true"' : '');
};

/** The head and the bar that every page has in common. */
export const frame = (
  { style, icon, theme, search }: Assets,
  at: string,
  title: string,
  body: string,
  head = '',
): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escapeHtml(title)} · Kontor</title>
    <link rel="icon" href="${icon}">
    <link rel="stylesheet" href="${style}">
    <script src="${theme}"></script>${moduleTags([search])}${head}
  </head>
  <body>
    <a class="skip" href="#content">Skip to the content</a>
    <header class="bar">
      <a class="brand" href="/">Kontor</a>
      <nav aria-label="Documentation">
        ${place('/docs', 'Docs', at)}
        ${place('/docs/api', 'API reference', at)}
        ${place('/graphql', 'GraphiQL', at)}
        ${place('/changelog', 'Changelog', at)}
      </nav>
      <button type="button" class="search" aria-keyshortcuts="/ Control+K" hidden>Search <kbd>/</kbd></button>
      <label class="theme" hidden><span class="said">Theme</span><select id="theme">
        <option value="auto">System</option><option value="light">Light</option><option value="dark">Dark</option>
      </select></label>
    </header>
${body}
  </body>
</html>
`;

interface TextPage {
  at: string;
  title: string;
  html: string;
  headings?: Rendered['headings'];
  /** That of the text, where it isn't English. */
  language?: string;
}

/** A page of text, beside the groups of pages and the list of its own headings. */
export function textPage(
  assets: Assets,
  groups: readonly Group[],
  { at, title, html, headings = [], language }: TextPage,
  head = '',
): string {
  const list = groups.map(
    ({ title: name, pages }) =>
      `<h2>${escapeHtml(name)}</h2><ul>${pages.map((page) => `<li>${link(page.at, page.title, at)}</li>`).join('')}</ul>`,
  );
  const onPage = headings.map(({ id, title: name }) => `<li><a href="#${id}">${escapeHtml(name)}</a></li>`);
  const aside =
    onPage.length < 2
      ? ''
      : `\n      <nav class="headings" aria-label="On this page"><h2>On this page</h2><ul>${onPage.join('')}</ul></nav>`;
  return frame(
    assets,
    at,
    title,
    `    <div class="columns">
      <button type="button" class="menu" popovertarget="pages">All pages</button>
      <nav class="pages" id="pages" popover aria-label="Pages">${list.join('')}</nav>
      <main id="content" class="text" tabindex="-1"${language ? ` lang="${language}"` : ''}>${html}${buildNeighbours(groups, at)}</main>${aside}
    </div>`,
    `${moduleTags(assets.scripts)}${head}`,
  );
}

/** Links to the page before and the one after, in the order of the groups. */
function buildNeighbours(groups: readonly Group[], at: string): string {
  const pages = groups.flatMap((group) => group.pages);
  const index = pages.findIndex((page) => page.at === at);
  if (index === -1) return '';
  const previous = pages[index - 1];
  const next = pages[index + 1];
  return `<nav class="neighbours" aria-label="Previous and next page">
${previous ? link(previous.at, previous.title, at, ' rel="prev"') : ''}
${next ? link(next.at, next.title, at, ' rel="next"') : ''}
</nav>`;
}
