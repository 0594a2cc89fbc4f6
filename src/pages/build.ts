import fastifyApiReference from '@scalar/fastify-api-reference';
import * as graphiql from '@graphql-yoga/render-graphiql/graphiql';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { proofForm, proofText } from './check-proof.ts';
import { buildErrorCodes } from './error-codes.ts';
import { buildEInvoiceRules } from './e-invoice-rules.ts';
import { readGuides } from './guides.ts';
import { buildLlmsText, toMarkdown } from './plain-guides.ts';
import { frame, textPage, type Assets } from './layout.ts';
import { createRender } from './markdown.ts';
import { pageFolders } from '../server/pages.ts';

// Builds the pages into dist/: guides, changelog, API reference, GraphiQL. They load nothing from other servers, and no
// script is inline. It is run by npm's postinstall, and by `npm run build`.

const here = new URL('./', import.meta.url);
const source = (name: string): string => readFileSync(new URL(name, here), 'utf8');

/** Writes a file, and compressed copies of it. Files above a megabyte are compressed less, because the best level is slow. */
function write(path: string, content: string | Buffer): void {
  const file = join(pageFolders.pages, path);
  const bytes = Buffer.from(content);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
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

const scripts = (...addresses: string[]): string =>
  addresses.map((address) => `\n    <script src="${address}" defer></script>`).join('');

function buildReference(assets: Assets): void {
  const body = `    <div id="content" tabindex="-1"><div id="reference"></div><noscript><p>This page needs JavaScript. Without it
      there are <a href="/docs/quick-start">the guides</a> and <a href="/api/v1/openapi.json">the OpenAPI file</a>.</p></noscript></div>`;
  const head = scripts(asset('scalar.js', scalar()), asset('reference.js', source('reference.js')));
  write('docs.html', frame(assets, '/docs', 'API reference', body, head));
}

function buildGraphiql(icon: string): void {
  const workers = {
    editorWorkerService: asset('editor-worker.js', graphiql.editorWorkerService),
    json: asset('json-worker.js', graphiql.jsonWorker),
    graphql: asset('graphql-worker.js', graphiql.graphqlWorker),
  };
  const code = asset('graphiql.js', graphiql.js);
  const start = asset('graphiql-start.js', source('graphiql.js').replace('__WORKERS__', JSON.stringify(workers)));
  const style = asset('graphiql.css', graphiql.css + source('graphiql.css'));
  write(
    'graphql.html',
    `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>GraphiQL · Kontor</title>
    <link rel="icon" href="${icon}">
    <link rel="stylesheet" href="${style}">${scripts(code, start)}
  </head>
  <body class="no-focus-outline">
    <noscript>GraphiQL needs JavaScript.</noscript>
    <div id="root" data-session-documents="__SESSION_DOCUMENTS__"></div>
  </body>
</html>
`,
  );
}

rmSync(pageFolders.pages, { recursive: true, force: true });
const assets: Assets = {
  style: asset('docs.css', source('docs.css')),
  script: asset('docs.js', source('docs.js')),
  icon: asset('icon.svg', source('icon.svg')),
};
const render = await createRender();
const guides = readGuides();
for (const { slug, title, text } of guides) {
  write(`docs/${slug}.html`, textPage(assets, guides, { at: `/docs/${slug}`, title, text: render(text) }));
  write(`docs/${slug}.md`, toMarkdown(text));
}
write('llms.txt', buildLlmsText(guides));
const rules = render(buildEInvoiceRules());
write(
  'docs/e-invoice-rules.html',
  textPage(assets, guides, { at: '/docs/e-invoices', title: 'Rules of e-invoices', text: rules }),
);
const codes = render(buildErrorCodes());
write('docs/error-codes.html', textPage(assets, guides, { at: '/docs/errors', title: 'Codes of errors', text: codes }));
const proofs = render(proofText);
write(
  'docs/check-proof.html',
  textPage(
    assets,
    guides,
    { at: '/docs/check-proof', title: 'Check a document', text: { ...proofs, html: proofs.html + proofForm } },
    scripts(asset('check-proof.js', source('check-proof.js'))),
  ),
);
const changelog = render(source('../../CHANGELOG.md'));
write('changelog.html', textPage(assets, guides, { at: '/changelog', title: 'Changelog', text: changelog }));
const missing = render(
  '# Nothing is here\n\nThis address has no page. [The guides](/docs/quick-start) are a good start.',
);
write('404.html', textPage(assets, guides, { at: '', title: 'Not found', text: missing }));
buildReference(assets);
buildGraphiql(assets.icon);
