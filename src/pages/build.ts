import fastifyApiReference from '@scalar/fastify-api-reference';
import * as graphiql from '@graphql-yoga/render-graphiql/graphiql';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { minifySync } from 'vite';
import { apiGroup, readContents } from './contents.ts';
import { drawModel } from './states.ts';
import { buildFeed } from './feed.ts';
import { landing } from './landing.ts';
import { frame, scriptTags, textPage, type Assets, type Group } from './layout.ts';
import { buildLlmsText, toMarkdown } from './plain-guides.ts';
import { createRender } from './markdown.ts';
import { readPictures } from './pictures.ts';
import { buildSearchIndex } from './search-index.ts';
import { pageFolders } from '../server/pages.ts';

// Builds the pages into dist/: guides, changelog, API reference, GraphiQL. They load nothing from other servers, and no
// script is inline. It is run by npm's postinstall, and by `npm run build`.

const here = new URL('./', import.meta.url);
const source = (name: string): string => readFileSync(new URL(name, here), 'utf8');

/** Writes a file, and compressed copies of it, unless it is a picture. Files above a megabyte are compressed less, because the best level is slow. */
function write(path: string, content: string | Buffer): void {
  const file = join(pageFolders.pages, path);
  const bytes = Buffer.from(content);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
  if (path.endsWith('.png')) return;
  const quality = bytes.length > 1_000_000 ? 9 : 11;
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }));
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
}

/** Writes a file with a hash of its content in its name, so that it can be cached forever. @returns its address */
function asset(name: string, content: string | Buffer): string {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 10);
  const path = `assets/${name.replace('.', `-${hash}.`)}`;
  write(path, content);
  return `/${path}`;
}

/**
 * Scalar's reference in one file. @scalar/api-reference also has this file, but depends on 270 packages. The package for
 * Fastify has only the file, and serves it by a handler that works without Fastify.
 */
function scalar(): string {
  let script: unknown;
  const route = ({ url, handler }: { url: string; handler: (request: null, reply: object) => void }): void => {
    if (url.endsWith('.js')) handler(null, { header: () => ({ send: (content: unknown) => (script = content) }) });
  };
  const fastify = { route, initialConfig: {}, hasPlugin: () => false } as never;
  fastifyApiReference(fastify, { configuration: { url: '/' } }, () => {});
  if (typeof script !== 'string') throw new Error('Scalar’s package for Fastify has changed');
  return script.replace(/\n\/\/# sourceMappingURL=.*$/, '');
}

function buildConsole(assets: Assets): void {
  const body = `    <div id="content" tabindex="-1"><div id="reference"></div><noscript><p>This page needs JavaScript. Without it
      there is <a href="/docs/api">the API reference</a>.</p></noscript></div>`;
  const head = scriptTags([asset('scalar.js', scalar()), script('reference.js')]);
  write('docs/console.html', frame(assets, '/docs/console', 'Console', body, head));
}

function buildGraphiql(icon: string): void {
  const workers = {
    editorWorkerService: asset('editor-worker.js', graphiql.editorWorkerService),
    json: asset('json-worker.js', graphiql.jsonWorker),
    graphql: asset('graphql-worker.js', graphiql.graphqlWorker),
  };
  const code = asset('graphiql.js', graphiql.js);
  const start = asset(
    'graphiql-start.js',
    source('browser/graphiql.js').replace('__WORKERS__', JSON.stringify(workers)),
  );
  const style = asset('graphiql.css', graphiql.css + source('browser/graphiql.css'));
  write(
    'graphql.html',
    `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>GraphiQL · Kontor</title>
    <link rel="icon" href="${icon}">
    <link rel="stylesheet" href="${style}">${scriptTags([code, start])}
  </head>
  <body class="no-focus-outline">
    <noscript>GraphiQL needs JavaScript.</noscript>
    <div id="root" data-session-documents="__SESSION_DOCUMENTS__"></div>
  </body>
</html>
`,
  );
}

/** Where the same is in another format. */
const alternate = (type: string, href: string): string => `\n    <link rel="alternate" type="${type}" href="${href}">`;

/** A script of browser/. @returns its address */
const script = (name: string): string => asset(name, source(`browser/${name}`));

/** The search: a script, which loads MiniSearch and the index when it is opened. */
function buildSearch(): string {
  const minisearch = readFileSync(fileURLToPath(import.meta.resolve('minisearch')), 'utf8');
  const { code } = minifySync('minisearch.js', minisearch, { module: true });
  const sections = [...pages, changelog].map(({ at, title, rendered }) => ({ at, title, sections: rendered.sections }));
  const index = buildSearchIndex(sections);
  const text = source('browser/search.js')
    .replace('__MINISEARCH__', asset('minisearch.js', code))
    .replace('__INDEX__', asset('search-index.json', index));
  return asset('search.js', text);
}

rmSync(pageFolders.pages, { recursive: true, force: true });
const pictures = readPictures(asset);
const render = await createRender(drawModel, pictures.find);
const contents = readContents();
const pages = contents.flatMap((group) =>
  group.pages.map((page) => ({ ...page, at: `/docs/${page.slug}`, rendered: render(page.text) })),
);
const changes = source('../../CHANGELOG.md');
/** Without a heading that has nothing below it, as it is right after a release. */
const noted = changes.replace(/^## Unreleased\s+(?=## )/m, '');
const changelog = { at: '/changelog', title: 'Changelog', rendered: render(noted) };
const assets: Assets = {
  style: asset('docs.css', source('docs.css')),
  icon: asset('icon.svg', source('icon.svg')),
  theme: script('theme.js'),
  search: buildSearch(),
  scripts: [script('tabs.js'), script('docs.js'), script('test-token.js')],
};
const all: Group[] = contents.map((group) => ({
  title: group.title,
  pages: group.pages.map(({ slug, title }) => ({ at: `/docs/${slug}`, title })),
}));
/** The API reference has a side navigation of its own, which begins with its index. */
const reference = all.filter(({ title }) => title === apiGroup);
const groups = all.filter(({ title }) => title !== apiGroup);
const isReference = (at: string): boolean => reference.some((group) => group.pages.some((page) => page.at === at));

for (const { slug, at, title, text, language, form = '', rendered } of pages) {
  const own = slug === 'check-proof' ? scriptTags([script('check-proof.js')]) : '';
  const head = alternate('text/markdown', `${at}.md`) + own;
  const { html, headings } = rendered;
  write(
    `docs/${slug}.html`,
    textPage(assets, isReference(at) ? reference : groups, { at, title, html: html + form, headings, language }, head),
  );
  write(`docs/${slug}.md`, toMarkdown(pictures.link(text)));
}
write('llms.txt', buildLlmsText(contents));
write('docs.html', textPage(assets, groups, { at: '/docs', title: 'Documentation', html: landing }));
write('changelog.md', changes);
write('changelog.atom', buildFeed(noted, statSync(new URL('../../CHANGELOG.md', here)).mtime.toISOString(), render));
write(
  'changelog.html',
  textPage(
    assets,
    groups,
    {
      ...changelog,
      headings: changelog.rendered.headings,
      html: `${changelog.rendered.html}<p>Follow it <a href="/changelog.atom">by Atom</a>.</p>`,
    },
    alternate('application/atom+xml', '/changelog.atom') + alternate('text/markdown', '/changelog.md'),
  ),
);
const missing = render('# Nothing is here\n\nThis address has no page. [The documentation](/docs) is a good start.');
write('404.html', textPage(assets, groups, { at: '', title: 'Not found', html: missing.html }));
buildConsole(assets);
buildGraphiql(assets.icon);
