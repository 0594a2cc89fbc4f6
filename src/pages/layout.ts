import { escapeHtml } from '../server/pages.ts';
import type { Guide } from './guides.ts';
import type { Rendered } from './markdown.ts';

/** Addresses of assets, as built. */
export interface Assets {
  style: string;
  /** The script of pages of text: buttons that copy their code. */
  script: string;
  icon: string;
}

const link = (href: string, text: string, current: string): string =>
  `<a href="${href}"${href === current ? ' aria-current="page"' : ''}>${escapeHtml(text)}</a>`;

/** The head and the bar that every page has in common. */
export const frame = (
  { style, icon }: Assets,
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
    <link rel="stylesheet" href="${style}">${head}
  </head>
  <body>
    <a class="skip" href="#content">Skip to the content</a>
    <header class="bar">
      <a class="brand" href="/">Kontor</a>
      <nav aria-label="Documentation">
        ${link('/docs/quick-start', 'Guides', at)}
        ${link('/docs', 'API reference', at)}
        ${link('/graphql', 'GraphiQL', at)}
        ${link('/changelog', 'Changelog', at)}
      </nav>
    </header>
${body}
  </body>
</html>
`;

/** A page of text, beside the list of guides and of its own headings. */
export function textPage(
  assets: Assets,
  guides: readonly Guide[],
  { at, title, text: { html, headings } }: { at: string; title: string; text: Rendered },
  head = '',
): string {
  const list = guides.map(({ slug, title: name }) => `<li>${link(`/docs/${slug}`, name, at)}</li>`);
  const onPage = headings.map(({ id, title: name }) => `<li><a href="#${id}">${escapeHtml(name)}</a></li>`);
  const aside = onPage.length < 2 ? '' : `<h2>On this page</h2><ul>${onPage.join('')}</ul>`;
  return frame(
    assets,
    at,
    title,
    `    <div class="columns">
      <nav class="guides" aria-label="Guides"><h2>Guides</h2><ul>${list.join('')}</ul></nav>
      <main id="content" class="text" tabindex="-1">${html}</main>
      <nav class="headings" aria-label="On this page">${aside}</nav>
    </div>`,
    `\n    <script src="${assets.script}" defer></script>${head}`,
  );
}
