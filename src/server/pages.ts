import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import sirv, { type RequestHandler } from 'sirv';
import { chooseAmong } from './http/compression.ts';
import { assetHeaders, pageHeaders } from './http/headers.ts';
import type { PublicAddress } from '../../rest-shim/rest-request.ts';

/** The folders with the output of `npm run build`. */
export interface PageFolders {
  /** The dashboard: index.html, and what it loads under assets/. */
  dashboard: string;
  /** Guides, changelog, API reference and GraphiQL. */
  pages: string;
}

export const pageFolders: PageFolders = {
  dashboard: fileURLToPath(new URL('../dashboard/dist', import.meta.url)),
  pages: fileURLToPath(new URL('../pages/dist', import.meta.url)),
};

/** @returns false when no page is at this address, and nothing is sent. */
export type Pages = (request: IncomingMessage, response: ServerResponse, path: string) => boolean;

const noncePlaceholder = /__CSP_NONCE__/g;
/** The placeholder in guides for the server's own address. */
export const originPlaceholder = '__ORIGIN__';
/** The placeholder in GraphiQL's page for what sessions may send: `any` document, or only `trusted` ones. */
const documentsPlaceholder = '__SESSION_DOCUMENTS__';
const textPath = /^\/(docs\/[\w-]+(\.md)?|changelog\.(md|atom)|graphql|llms\.txt)$/;
/** The types of pages that are sent as they were written. Any other page is HTML. */
const plainTypes: Record<string, string> = {
  '.md': 'text/markdown',
  '.txt': 'text/plain',
  '.atom': 'application/atom+xml',
};
const notBuilt = 'This page is not built yet. Run: npm run build';

/** Text as it may stand in HTML, in an attribute's double quotes too. */
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Addresses below which there are no pages: a mistyped one is answered with 404, and not with the dashboard. */
const otherDoors = /^\/(api|assets|docs|downloads|graphql|health|mcp)(\/|$)/;

interface PagesOptions {
  /** Whether sessions may only send trusted documents, which GraphiQL then says. */
  limitsSessions?: boolean;
  folders?: PageFolders;
}

/**
 * The pages people look at: those built ahead as files, and the dashboard at every other address it may route.
 * @param publicAddress some guides show it
 */
export function createPages(
  publicAddress: PublicAddress,
  { limitsSessions = false, folders = pageFolders }: PagesOptions = {},
): Pages {
  const fill = (html: string): string =>
    html
      .replaceAll(originPlaceholder, () => escapeHtml(publicAddress.url))
      .replace(documentsPlaceholder, limitsSessions ? 'trusted' : 'any');
  const fillPlain = (text: string): string => text.replaceAll(originPlaceholder, () => publicAddress.url);
  const built = files(folders.pages, ['html']);
  const assets = files(folders.dashboard, []);
  return (request, response, path) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const nonce = randomBytes(16).toString('base64');
    const isAsset = path.startsWith('/assets/');
    const headers = isAsset ? assetHeaders : pageHeaders(nonce);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.setHeader('Cache-Control', isAsset ? 'public, max-age=31536000, immutable' : 'no-cache');
    // sirv doesn't validate ranges, which are not needed here.
    delete request.headers.range;
    // Nor does it read `q=0`, by which a client takes a coding out.
    request.headers['accept-encoding'] = chooseAmong(['br', 'gzip'], request.headers['accept-encoding']) ?? '';
    const plainType = plainTypes[extname(path)];
    const isText = textPath.test(path);
    const page = isText ? readText(`${folders.pages}${path}${plainType ? '' : '.html'}`) : undefined;
    if (page !== undefined && plainType) {
      respond(response, 200, plainType, plainType.endsWith('xml') ? fill(page) : fillPlain(page));
      return true;
    }
    if (page?.includes(originPlaceholder) || page?.includes(documentsPlaceholder)) {
      respond(response, 200, 'text/html', fill(page));
      return true;
    }
    if (path !== '/index.html' && (serve(built, request, response) || serve(assets, request, response))) return true;

    response.setHeader('Cache-Control', 'no-store');
    if (isRoute(request, path)) {
      const index = readText(`${folders.dashboard}/index.html`);
      if (!index) respond(response, 503, 'text/plain', notBuilt);
      else respond(response, 200, 'text/html', index.replace(noncePlaceholder, nonce));
      return true;
    }
    if (!/text\/html/.test(request.headers.accept ?? '')) return false;
    const missing = readText(`${folders.pages}/404.html`);
    respond(response, missing ? 404 : 503, missing ? 'text/html' : 'text/plain', missing ?? notBuilt);
    return true;
  };
}

/** The dashboard has its own router: any address of plain words may be one of its pages. */
const isRoute = (request: IncomingMessage, path: string): boolean =>
  path === '/' ||
  (/text\/html|\*\/\*/.test(request.headers.accept ?? '') && /^(\/[\w-]+)+\/?$/.test(path) && !otherDoors.test(path));

/**
 * Serves a folder's files, and their compressed .br or .gz copies. Files are looked up at each request (sirv's option `dev`),
 * because a build may replace them while the server runs.
 */
const files = (folder: string, extensions: string[]): RequestHandler =>
  sirv(folder, {
    dev: true,
    etag: true,
    brotli: true,
    gzip: true,
    extensions,
    setHeaders: (response, path) => {
      if (path.endsWith('.tgz')) response.setHeader('Content-Type', 'application/gzip');
    },
  });

function serve(handler: RequestHandler, request: IncomingMessage, response: ServerResponse): boolean {
  // sirv doesn't handle a file that vanishes between its lookup and its reading.
  response.once('pipe', (file) => file.once('error', () => response.destroy()));
  let found = true;
  handler(request, response, () => void (found = false));
  return found;
}

/** Undefined if the file doesn't exist at this moment. */
function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function respond(response: ServerResponse, status: number, type: string, text: string): void {
  const body = Buffer.from(text);
  response.writeHead(status, { 'Content-Type': `${type}; charset=utf-8`, 'Content-Length': body.length }).end(body);
}
