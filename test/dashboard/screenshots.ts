import { once } from 'node:events';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { say } from '../../src/output.ts';
import { startOwnServer } from '../own-server.ts';
import { settle, signIn } from './app.ts';
import { launch } from './browser.ts';

// README's pictures, taken of the demo tenant: `npm run screenshots`. No hand touches them.

const folder = fileURLToPath(new URL('screenshots/', import.meta.url));
const dataDir = await mkdtemp(join(tmpdir(), 'kontor-screenshots-'));
const receiver = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(request.url === '/shop' ? 200 : 503).end());
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');
const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
const { child, address, token, email, password } = await startOwnServer(dataDir);
const browser = await launch();

async function graphql<T>(query: string, variables: object = {}): Promise<T> {
  const response = await fetch(`${address}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as { data: T; errors?: object };
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

/** Two webhooks that hear of the demo's doings, one of which never answers well. */
async function makeDeliveries(): Promise<void> {
  const create = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }';
  for (const [path, description] of [
    ['/shop', 'The web shop: who has paid is sent the goods'],
    ['/archive', 'The archive'],
  ]) {
    await graphql(create, { input: { url: `${receiverUrl}${path}`, description } });
  }
  const customer = 'mutation ($name: String!) { createCustomer(input: { type: CUSTOMER, companyName: $name }) { id } }';
  for (const name of ['Hotel Seeblick', 'Werft Jansen & Söhne']) await graphql(customer, { name });
  for (;;) {
    const { deliveries } = await graphql<{ deliveries: { totalCount: number } }>(
      '{ deliveries(state: FAILED) { totalCount } }',
    );
    if (deliveries.totalCount === 2) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

interface Picture {
  name: string;
  options?: BrowserContextOptions;
  show: (page: Page) => Promise<unknown>;
}

/** The dashboard's page at this address of the demo tenant. */
const at = (path: string) => async (page: Page) => {
  await page.goto(`${new URL(page.url()).pathname.split('/').slice(0, 2).join('/')}${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
};

const pictures: Picture[] = [
  { name: 'overview', show: at('/') },
  {
    name: 'invoice',
    show: async (page) => {
      await at('/invoices')(page);
      await page
        .getByRole('cell')
        .getByRole('link', { name: /^\d{4}-\d{4}$/ })
        .last()
        .click();
      await page.getByRole('heading', { level: 1, name: /\d{4}-\d{4}/ }).waitFor();
    },
  },
  { name: 'deliveries', options: { colorScheme: 'dark' }, show: at('/deliveries') },
];

async function take({ name, options, show }: Picture): Promise<void> {
  const context = await browser.newContext({
    baseURL: address,
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  await signIn(page, email, '/', password);
  await show(page);
  await settle(page);
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path });
  await context.close();
  const kilobytes = Math.ceil((await stat(path)).size / 1000);
  if (kilobytes > 150) throw new Error(`${name}.png is ${kilobytes} kB: too much for a README`);
  say(`${name}.png, ${kilobytes} kB`);
}

try {
  await mkdir(folder, { recursive: true });
  await makeDeliveries();
  for (const picture of pictures) await take(picture);
} finally {
  await browser.close();
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
  receiver.closeAllConnections();
  receiver.close();
  await rm(dataDir, { recursive: true, force: true });
}
