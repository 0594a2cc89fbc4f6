import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import sirv, { type RequestHandler } from 'sirv';
import { pageHeaders } from '../http/headers.ts';
import { escapeHtml } from './layout.ts';

/** Where builds put what is served: `npm run build`. */
export interface PageFolders {
  /** The dashboard: index.html, and what it loads under assets/. */
  dashboard: string;
  /** Guides, changelog, API reference and GraphiQL. */
  pages: string;
}

export const pageFolders: PageFolders = {
  dashboard: fileURLToPath(new URL('../dashboard/dist', import.meta.url)),
  pages: fileURLToPath(new URL('dist', import.meta.url)),
};

/** @returns false when no page is at this address, and nothing is answered. */
export type Pages = (request: IncomingMessage, response: ServerResponse, path: string) => boolean;

const noncePlaceholder = /__CSP_NONCE__/g;
/** Stands in a guide for the address of the server that shows it. */
const originPlaceholder = '__ORIGIN__';
const guidePath = /^\/docs\/[\w-]+$/;
const notBuilt = 'This page is not built yet. Run: npm run build';

/** Addresses below which there are no pages: who mistypes one wants to hear so, not to see the dashboard. */
const otherDoors = /^\/(api|assets|docs|graphql|health)(\/|$)/;

/** The pages people look at: those built ahead as files, and the dashboard at every other address it may route. */
/** @param publicUrl where clients reach this server, without a trailing slash: some guides show it */
export function createPages(publicUrl: () => string, folders = pageFolders): Pages {
  const built = files(folders.pages, ['html']);
  const assets = files(folders.dashboard, []);
  return (request, response, path) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const nonce = randomBytes(16).toString('base64');
    for (const [name, value] of Object.entries(pageHeaders(nonce))) response.setHeader(name, value);
    response.setHeader(
      'Cache-Control',
      path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    );
    // sirv takes ranges at their word, down to one that ends before it begins. Nobody needs them here.
    delete request.headers.range;
    const guide = guidePath.test(path) ? textOf(`${folders.pages}${path}.html`) : undefined;
    if (guide?.includes(originPlaceholder)) {
      answer(response, 200, 'text/html', guide.replaceAll(originPlaceholder, escapeHtml(publicUrl())));
      return true;
    }
    if (path !== '/index.html' && (serve(built, request, response) || serve(assets, request, response))) return true;

    response.setHeader('Cache-Control', 'no-store');
    if (isRoute(request, path)) {
      const index = textOf(`${folders.dashboard}/index.html`);
      if (!index) answer(response, 503, 'text/plain', notBuilt);
      else answer(response, 200, 'text/html', index.replace(noncePlaceholder, nonce));
      return true;
    }
    if (!/text\/html/.test(request.headers.accept ?? '')) return false;
    const missing = textOf(`${folders.pages}/404.html`);
    answer(response, missing ? 404 : 503, missing ? 'text/html' : 'text/plain', missing ?? notBuilt);
    return true;
  };
}

/** The dashboard routes by itself: any address of plain words may be one of its own. */
const isRoute = (request: IncomingMessage, path: string): boolean =>
  path === '/' ||
  (/text\/html|\*\/\*/.test(request.headers.accept ?? '') && /^(\/[\w-]+)+\/?$/.test(path) && !otherDoors.test(path));

/**
 * A folder's files, compressed ahead where a .br or .gz lies beside them. Looked up with each request (what sirv calls
 * dev), as a build may replace them while we run.
 */
const files = (folder: string, extensions: string[]): RequestHandler =>
  sirv(folder, { dev: true, etag: true, brotli: true, gzip: true, extensions });

function serve(handler: RequestHandler, request: IncomingMessage, response: ServerResponse): boolean {
  // Neither does sirv expect that a file it has just seen can't be read.
  response.once('pipe', (file) => file.once('error', () => response.destroy()));
  let found = true;
  handler(request, response, () => void (found = false));
  return found;
}

/** Undefined where there is no such file, or not at this moment. */
function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function answer(response: ServerResponse, status: number, type: string, text: string): void {
  const body = Buffer.from(text);
  response.writeHead(status, { 'Content-Type': `${type}; charset=utf-8`, 'Content-Length': body.length }).end(body);
}
