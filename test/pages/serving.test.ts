import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createSocketServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commonHeaders } from '../../src/server/http/headers.ts';
import MiniSearch from 'minisearch';
import { SaxesParser } from 'saxes';
import { buildFeed } from '../../src/pages/feed.ts';
import { readContents } from '../../src/pages/contents.ts';
import { createPages, type PageFolders } from '../../src/server/pages.ts';
import { startService, type Service } from '../harness.ts';

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
/** The elements of an XML document, by path. @throws Error where it is not well-formed */
function readXml(text: string): { path: string; text: string }[] {
  const elements: { path: string; text: string }[] = [];
  const open: { path: string; text: string }[] = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name }) => {
    const element = { path: [open.at(-1)?.path, name].filter(Boolean).join('/'), text: '' };
    elements.push(element);
    open.push(element);
  });
  parser.on('text', (part) => {
    const element = open.at(-1);
    if (element) element.text += part;
  });
  parser.on('closetag', () => open.pop());
  parser.write(text).close();
  return elements;
}

let service: Service;
let folder: string;
const servers: Server[] = [];

beforeAll(async () => {
  service = await startService();
  folder = mkdtempSync(join(tmpdir(), 'kontor-pages-'));
});
afterAll(async () => {
  await service.close();
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

/** Pages alone, of folders made for the purpose. 418: no page's business. */
async function serve(folders: PageFolders): Promise<(path: string, init?: RequestInit) => Promise<Response>> {
  const pages = createPages({ url: 'http://127.0.0.1:4000' }, { folders });
  const server = createServer((request, response) => {
    if (!pages(request, response, (request.url ?? '').split('?', 1)[0]!)) response.writeHead(418).end();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return (path, init) => fetch(`http://127.0.0.1:${port}${path}`, { headers: html, ...init });
}

function dashboard(): PageFolders {
  const at = join(folder, 'dashboard');
  mkdirSync(join(at, 'assets'), { recursive: true });
  writeFileSync(join(at, 'index.html'), '<script nonce="__CSP_NONCE__"></script><meta content="__CSP_NONCE__">');
  writeFileSync(join(at, 'assets', 'app-1234.js'), 'plain');
  writeFileSync(join(at, 'assets', 'app-1234.js.br'), brotliCompressSync('brotli'));
  writeFileSync(join(at, 'assets', 'app-1234.js.gz'), gzipSync('gzip'));
  return { dashboard: at, pages: join(folder, 'none') };
}

const nonceOf = (response: Response): string | undefined =>
  /script-src 'self' 'nonce-([^']+)'/.exec(response.headers.get('content-security-policy') ?? '')?.[1];

describe('the dashboard', () => {
  it('is at every address it may route, with the nonce of that request in it', async () => {
    const get = await serve(dashboard());
    const nonces = new Set<string>();
    for (const path of ['/', '/?a=b', '/settings/webhooks', '/invoices/0197-ab_c/', '/sign-in']) {
      const response = await get(path);
      const nonce = nonceOf(response)!;
      expect(response.status).toBe(200);
      expect(await response.text()).toBe(`<script nonce="${nonce}"></script><meta content="${nonce}">`);
      expect(response.headers.get('cache-control')).toBe('no-store');
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(5);
  });

  it('HEAD answers as GET without the body', async () => {
    const get = await serve(dashboard());
    for (const path of ['/', '/assets/app-1234.js']) {
      const [headed, got] = [await get(path, { method: 'HEAD' }), await get(path)];
      expect(headed.status).toBe(200);
      expect(await headed.text()).toBe('');
      expect(headed.headers.get('content-type')).toBe(got.headers.get('content-type'));
      await got.text();
    }
  });

  it('is nowhere else: what looks like a file, and what belongs to an API', async () => {
    const get = await serve(dashboard());
    for (const path of ['/favicon.ico', '/.env', '/index.html', '/assets/gone.js', '/api/v2', '/docs/gone', '/a%2fb']) {
      expect([path, (await get(path)).status]).toEqual([path, 503]); // no 404 page is built here
      expect([path, (await get(path, { headers: { accept: 'application/json' } })).status]).toEqual([path, 418]);
    }
    expect((await get('/settings', { headers: { accept: 'application/json' } })).status).toBe(418);
    expect((await get('/', { method: 'POST' })).status).toBe(418);
  });

  it('not built: says how to build it', async () => {
    const get = await serve({ dashboard: join(folder, 'none'), pages: join(folder, 'none') });
    for (const path of ['/', '/docs', '/changelog']) {
      const response = await get(path);
      expect(response.status).toBe(503);
      expect(await response.text()).toContain('npm run build');
    }
  });
});

describe('assets', () => {
  it('are kept for ever, and come compressed as the client takes it', async () => {
    const get = await serve(dashboard());
    for (const [accepted, encoding, text] of [
      ['gzip, deflate, br', 'br', 'brotli'],
      ['gzip', 'gzip', 'gzip'],
      ['gzip, br;q=0', 'gzip', 'gzip'],
      ['br;q=0.1, gzip', 'gzip', 'gzip'],
      ['br;q=0, gzip;q=0', null, 'plain'],
      ['identity', null, 'plain'],
    ] as const) {
      const response = await get('/assets/app-1234.js', { headers: { 'accept-encoding': accepted } });
      expect(await response.text()).toBe(text);
      expect(response.headers.get('content-encoding')).toBe(encoding);
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(response.headers.get('vary')).toBe('Accept-Encoding');
      expect(response.headers.get('content-type')).toBe('text/javascript');
    }
  });

  it('known by their ETag are not sent again', async () => {
    const get = await serve(dashboard());
    const etag = (await get('/assets/app-1234.js')).headers.get('etag')!;
    const again = await get('/assets/app-1234.js', { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it('one that is there but can’t be read breaks off that answer, not the process', async () => {
    const folders = dashboard();
    const unreadable = createSocketServer();
    const path = join(folders.dashboard, 'assets', 'socket-1234.js');
    await new Promise<void>((resolve) => unreadable.listen(path, resolve));
    try {
      const get = await serve(folders);
      await expect(get('/assets/socket-1234.js', { headers: { 'accept-encoding': 'identity' } })).rejects.toThrow(
        'fetch failed',
      );
      expect((await get('/')).status).toBe(200);
    } finally {
      unreadable.close();
    }
  });

  it('a build that replaces them while they are served is what is served next', async () => {
    const folders = dashboard();
    const get = await serve(folders);
    expect((await get('/assets/app-1234.js')).status).toBe(200);
    rmSync(folders.dashboard, { recursive: true });
    expect((await get('/assets/app-1234.js', { headers: { accept: '*/*' } })).status).toBe(418);
    expect((await get('/')).status).toBe(503);
    mkdirSync(join(folders.dashboard, 'assets'), { recursive: true });
    writeFileSync(join(folders.dashboard, 'index.html'), 'anew');
    writeFileSync(join(folders.dashboard, 'assets', 'app-5678.js'), 'anew');
    expect(await (await get('/assets/app-5678.js')).text()).toBe('anew');
    expect(await (await get('/')).text()).toBe('anew');
  });

  it('a range, however absurd, is the whole', async () => {
    const get = await serve(dashboard());
    for (const range of ['bytes=3-1', 'bytes=99-', 'x', 'bytes=-2']) {
      const response = await get('/assets/app-1234.js', { headers: { range, 'accept-encoding': 'identity' } });
      expect([response.status, await response.text()]).toEqual([200, 'plain']);
    }
  });
});

describe('headers', () => {
  const pages = [
    '/docs',
    '/docs/api',
    '/docs/console',
    '/docs/quick-start',
    '/docs/webhooks',
    '/changelog',
    '/graphql',
    '/docs/gone',
    '/',
    '/settings',
  ];

  it.each(pages)('a page runs only our scripts, and is framed by nobody: %s', async (path) => {
    const { headers, text } = await service.request('GET', path, { headers: html });
    const policy = headers.get('content-security-policy')!;
    const scripts = /script-src ([^;]*)/.exec(policy)![1]!;
    expect(scripts).toMatch(/^'self' 'nonce-[\w+/]{22}=='$/);
    expect(policy).toContain("default-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('permissions-policy')).toContain('camera=()');
    expect(text).not.toMatch(/<(script|link|img|iframe)\b[^>]*(src|href)="(https?:)?\/\//);
    const nonce = scripts.slice("'self' 'nonce-".length, -1);
    for (const [tag] of text.matchAll(/<script\b[^>]*>/g)) {
      expect(tag.includes(`nonce="${nonce}"`) || tag.includes(' src="/assets/')).toBe(true);
    }
  });

  it('an answer that is no page may load nothing', async () => {
    for (const path of ['/api/v1/me', '/health/live', '/schema.graphql', '/nothing.json']) {
      const { headers } = await service.request('GET', path, { headers: { accept: 'application/json' } });
      if (path !== '/nothing.json') {
        expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
      }
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('same-origin');
    }
  });

  it('HSTS where clients come by https, and only there', () => {
    expect(commonHeaders('https://books.example')).toHaveProperty('Strict-Transport-Security', 'max-age=31536000');
    expect(commonHeaders('http://127.0.0.1:4000')).not.toHaveProperty('Strict-Transport-Security');
  });
});

describe('/schema.graphql', () => {
  it('is the printed schema, known by its ETag', async () => {
    const { status, text, headers } = await service.request('GET', '/schema.graphql');
    expect(status).toBe(200);
    expect(text).toMatch(/^type Query \{/m);
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const again = { headers: { 'if-none-match': headers.get('etag')! } };
    expect((await service.request('GET', '/schema.graphql', again)).status).toBe(304);
    expect((await service.request('POST', '/schema.graphql')).status).toBe(405);
  });
});

describe('for programs that read text', () => {
  it('/llms.txt names every guide as Markdown, and each is there, with this server’s address', async () => {
    const list = await service.request('GET', '/llms.txt', { headers: { accept: 'text/plain' } });
    expect([list.status, list.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    const links = [...list.text.matchAll(/^- \[(.+)\]\((\S+)\): (.+)$/gm)].map(([, title, url, about]) => ({
      title,
      url,
      about,
    }));
    const guides = links.filter(({ url }) => /\/docs\/.+\.md$/.test(url!));
    const pages = readContents().flatMap((group) => group.pages);
    expect(guides.map(({ url }) => url)).toEqual(pages.map(({ slug }) => `${service.url}/docs/${slug}.md`));
    for (const { url, about } of links) {
      expect(about!.length).toBeGreaterThan(20);
      expect((await fetch(url!)).status).toBe(200);
    }
    for (const { title, url } of guides) {
      const response = await fetch(url!, { headers: html });
      expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
      const text = await response.text();
      expect(text).toMatch(`# ${title}\n`);
      expect(text).not.toMatch(/__ORIGIN__|\{\{|^```\w+ /m);
    }
  });

  const read = async (path: string): Promise<string> => {
    const { status, text } = await service.request('GET', path, { headers: html });
    expect([path, status]).toEqual([path, 200]);
    return text;
  };
  const readIndex = async (page: string): Promise<string> => {
    const script = await read(/"(\/assets\/search-[^"]+\.js)"/.exec(page)![1]!);
    return read(/\/assets\/search-index-\w+\.json/.exec(script)![0]);
  };

  it.each([
    ['pagination', '/docs/paging'],
    ['sandbox', '/docs/test-tenants'],
    ['test mode', '/docs/test-tenants'],
    ['python', '/docs/quick-start#a-customer'],
    ['php', '/docs/webhooks#verify-it'],
  ])('the search finds what others call "%s"', async (words, href) => {
    const { options, index } = JSON.parse(await readIndex(await read('/docs')));
    const found = MiniSearch.loadJS(index, options).search(words, { combineWith: 'AND' });
    expect(found.map((each) => each['href'])).toContain(href);
  });

  it('every link of a page and of the search leads to a page and a heading', async () => {
    const paths = [
      '/docs',
      '/changelog',
      ...readContents().flatMap((group) => group.pages.map(({ slug }) => `/docs/${slug}`)),
    ];
    const texts = new Map(await Promise.all(paths.map(async (path) => [path, await read(path)] as const)));
    const search = await readIndex(texts.get('/docs')!);
    const results = Object.values<{ href: string }>(JSON.parse(search).index.storedFields);
    expect(results.length).toBeGreaterThan(150);
    texts.set('the search', results.map(({ href }) => `<a href="${href}">`).join());
    const missing: string[] = [];
    for (const [path, text] of texts)
      for (const [, href = ''] of text.matchAll(/<a\b[^>]* href="([^"]+)"/g)) {
        const { pathname, hash, origin } = new URL(href, new URL(path, service.url));
        if (origin !== service.url) continue;
        const target = texts.get(pathname) ?? (await read(pathname));
        texts.set(pathname, target);
        if (hash && !target.includes(` id="${decodeURIComponent(hash.slice(1))}"`)) missing.push(`${path}: ${href}`);
      }
    expect(missing).toEqual([]);
  });

  it('the changelog is Markdown and an Atom feed, with this server’s address, also one with an ampersand', async () => {
    const markdown = await service.request('GET', '/changelog.md', { headers: { accept: 'text/markdown' } });
    expect([markdown.status, markdown.text]).toEqual([200, readFileSync('CHANGELOG.md', 'utf8')]);
    const { status, headers, text } = await service.request('GET', '/changelog.atom', {
      headers: { accept: 'application/atom+xml' },
    });
    expect([status, headers.get('content-type')]).toEqual([200, 'application/atom+xml; charset=utf-8']);
    const feed = readXml(text);
    expect(feed.filter(({ path }) => path === 'feed/id').map((each) => each.text)).toEqual([
      `${service.url}/changelog`,
    ]);
    const titles = [...markdown.text.matchAll(/^## (.+)\n\n(?!## )/gm)].map(([, title]) => title);
    expect(feed.filter(({ path }) => path === 'feed/entry/title').map((each) => each.text)).toEqual(titles);
    for (const { text: time } of feed.filter(({ path }) => path.endsWith('updated')))
      expect(new Date(time).toISOString().slice(0, 10)).toBe(time.slice(0, 10));
    const contents = feed.filter(({ path }) => path === 'feed/entry/content').map((each) => each.text);
    expect(contents.length).toBe(titles.length);
    expect(contents.join('')).toMatch(/<li>.*<a href="\/docs\/api">/);

    const built = join(folder, 'feed');
    mkdirSync(built, { recursive: true });
    writeFileSync(
      join(built, 'changelog.atom'),
      buildFeed('## 1.0 <b> & "c", 2026-02-03\n', '', () => ({ html: '<p>a &lt; b</p>', headings: [], sections: [] })),
    );
    const pages = createPages({ url: 'http://a.example/?a&b' }, { folders: { dashboard: folder, pages: built } });
    const server = createServer((request, response) => void pages(request, response, request.url ?? ''));
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const hostile = readXml(
      await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/changelog.atom`)).text(),
    );
    expect(hostile.filter(({ path }) => /entry\/(title|updated|content)/.test(path)).map((each) => each.text)).toEqual([
      '1.0 <b> & "c", 2026-02-03',
      '2026-02-03T00:00:00Z',
      '<p>a &lt; b</p>',
    ]);
    expect(hostile.find(({ path }) => path === 'feed/id')?.text).toBe('http://a.example/?a&b/changelog');
  });

  it('no other text is there', async () => {
    for (const path of ['/docs/nothing.md', '/docs/404.md', '/docs/..%2Fllms.txt', '/docs.md', '/changelog.txt'])
      expect([path, (await service.request('GET', path, { headers: { accept: 'text/plain' } })).status]).toEqual([
        path,
        404,
      ]);
  });
});
