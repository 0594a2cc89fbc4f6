import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from 'playwright-core';
import { parseManifest } from '../../src/server/graphql/document-manifest.ts';
import { pushDocuments } from '../../src/server/graphql/trusted-documents.ts';
import { createToken } from '../../src/identity/index.ts';
import { launch, noBrowser, visit } from '../dashboard/browser.ts';
import { makeCustomer } from '../graphql/books.ts';
import { startService, type Service } from '../harness.ts';
import { buildFrontEnds, clients, typeErrors } from './build.ts';
import { noFrontEnds } from './installed.ts';

// Each client reads, pages, changes, and follows the same books, in a browser.

let service: Service;
let browser: Browser;
let bundles: string;

beforeAll(async () => {
  if (!noFrontEnds) bundles = await buildFrontEnds();
});

it.skipIf(noFrontEnds)('the types that each client makes of the schema fit its source, strictly', () => {
  expect(typeErrors()).toBe('');
});

describe.skipIf(noBrowser || noFrontEnds)('a front end with', () => {
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
  });
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  it.each(clients)('%s reads, pages, changes, and follows', async (client) => {
    const acme = await service.integrator();
    for (const companyName of ['Globex', 'Initech', 'Umbrella']) await makeCustomer(acme, { companyName });
    // Relay sends its documents by hash only.
    const isRelay = client === 'relay';
    if (isRelay) {
      const manifest = readFileSync(new URL('relay/generated/persisted.json', import.meta.url), 'utf8');
      await pushDocuments(service.client, acme.tenantId, parseManifest(manifest));
    }
    const { token } = await createToken(service.client, { tenantId: acme.tenantId, trustedDocuments: isRelay });

    await visit(browser, service.url, {}, async (page) => {
      await page.route('/front-end', (route) =>
        route.fulfill({
          contentType: 'text/html',
          body: '<!doctype html><body><script type="module" src="/app.js"></script>',
        }),
      );
      await page.route('/favicon.ico', (route) => route.fulfill({ status: 204 }));
      await page.route('/app.js', (route) =>
        route.fulfill({ contentType: 'text/javascript', path: `${bundles}/${client}/app.js` }),
      );
      await page.addInitScript((value) => void (globalThis.token = value), token);
      const [subscribed] = await Promise.all([
        page.waitForRequest((request) => request.headers()['accept'] === 'text/event-stream'),
        page.goto('/front-end'),
      ]);
      const names = () => page.getByRole('listitem').allTextContents();

      await expect.poll(names).toEqual(['Umbrella', 'Initech']);
      await page.getByRole('button', { name: 'More' }).click();
      await expect.poll(names).toEqual(['Umbrella', 'Initech', 'Globex']);
      await page.getByRole('button', { name: 'Change' }).click();
      await expect.poll(names).toEqual(['Changed here', 'Initech', 'Globex']);

      await subscribed.response();
      const { id } = await acme.db.customer.findFirstOrThrow({ where: { companyName: 'Globex' } });
      const input = { companyName: 'Changed elsewhere' };
      await acme.graphql(
        'mutation ($id: UUID!, $input: UpdateCustomerInput!) { updateCustomer(id: $id, input: $input) { id } }',
        { id, input },
      );
      await expect.poll(names).toEqual(['Changed here', 'Initech', 'Changed elsewhere']);
    });
  });
});
