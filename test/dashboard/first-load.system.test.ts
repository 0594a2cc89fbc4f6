import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { password } from '../identity/browser.ts';
import { waitUntilIdle, startApp, type App } from './app.ts';
import { noBrowser } from './browser.ts';

describe.skipIf(noBrowser)('the first load', { timeout: 120_000 }, () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app?.close());

  it('transfers at most 280 kB until the first page is shown', async () => {
    const { email } = await app.newUser();
    await app.visit({}, async (page, watch) => {
      watch.allowed.push(/401/); // before signing in
      const network = await page.context().newCDPSession(page);
      await network.send('Network.enable');
      let bytes = 0;
      network.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
      await page.goto('/');
      await page.getByLabel('E-mail address').fill(email);
      await page.getByLabel(/^Password/).fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
      await waitUntilIdle(page);
      expect(bytes).toBeGreaterThan(50_000);
      expect(bytes).toBeLessThanOrEqual(280_000);
    });
  });

  it('every response has a Content-Security-Policy with a nonce of its own', async () => {
    const { email, tenantId } = await app.newUser();
    await app.visit({}, async (page, watch) => {
      watch.allowed.push(/401/);
      await page.request.post('/api/auth/sign-in/email', {
        data: { email, password },
        headers: { 'x-requested-with': 'kontor' },
      });
      const nonces = new Set<string | undefined>();
      for (const path of ['/', '/sign-in', `/${tenantId}/settings/webhooks`, `/${tenantId}/nothing`]) {
        const response = await page.goto(path);
        const policy = response?.headers()['content-security-policy'] ?? '';
        const nonce = /^script-src 'self' 'nonce-([\w+/=]+)'$/m.exec(policy.replaceAll('; ', '\n'))?.[1];
        expect(nonce).toBeDefined();
        expect(await response?.text()).not.toContain('__CSP_NONCE__');
        expect(await response?.text()).toContain(`nonce="${nonce}"`);
        nonces.add(nonce);
      }
      expect(nonces.size).toBe(4);
    });
  });
});
