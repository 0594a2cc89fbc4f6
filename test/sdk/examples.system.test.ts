import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readGuides, type Guide } from '../../src/pages/guides.ts';
import { deliveryHeaders, newSecret } from '../../src/webhooks/signature.ts';
import { parseFences } from '../docs/fences.ts';
import { startService, type Service } from '../harness.ts';
import { freePort } from '../processes/npm.ts';
import { work } from '../webhooks/receiver.ts';
import { startTestTenant } from '../test-tenants/make.ts';
import { checkTypes, projectWithSdk, type Project } from './project.ts';

// The examples of the guides and of the package's readme are run as a reader runs them: the JavaScript of a page is saved to
// one file, and what it prints is what the page says.

const readme: Guide = { slug: 'readme', title: '@kontor/sdk', text: readFileSync('src/sdk/README.md', 'utf8') };
const usesSdk = ({ text }: Guide): boolean => /^```js.*\n[^`]*from '@kontor\/sdk'/m.test(text);
const pages = [...readGuides().filter(usesSdk), readme];

let project: Project;
let service: Service;
let worker: Awaited<ReturnType<typeof work>>;
beforeAll(async () => {
  [project, service] = await Promise.all([projectWithSdk(), startService()]);
  worker = await work(service);
});
afterAll(async () => {
  await worker.stop();
  await service.close();
  await project.remove();
});

it('the quick start, the SDK’s guide, and its readme have examples', () => {
  expect(pages.map(({ slug }) => slug)).toEqual(expect.arrayContaining(['quick-start', 'sdk', 'readme']));
});

const program = (file: string): string => readFileSync(`src/pages/guides/${file}`, 'utf8');
const receiver = program('verify/sdk.js');
/** Blocks that are a whole program of their own, which runs until it is stopped. */
const endless = new Set([receiver, program('syncing/keep-a-copy.js')]);

describe.each(pages.map((page) => ({ slug: page.slug, page })))('/docs/$slug', ({ slug, page }) => {
  const fences = parseFences(page);

  it('prints what the page says, and passes strict type checks', async () => {
    const { token } = await startTestTenant(service, await service.integrator());
    const code = fences.filter(({ language, code: each }) => language === 'js' && !endless.has(each));
    const file = `${slug}.js`;
    const text = code
      .map((fence) => fence.code)
      .join('')
      .replaceAll('__ORIGIN__', service.url);
    await writeFile(join(project.folder, file), text);
    const said = fences.filter(({ language, marks }) => language === 'text' && marks.includes('output'));
    expect(await project.run(file, { KONTOR: service.url, TOKEN: token })).toBe(
      said.map((fence) => fence.code).join(''),
    );
    await checkTypes(project, file);
  });
});

it('the program that keeps a copy names the Node version that it needs, where SQLite is missing', async () => {
  await writeFile(join(project.folder, 'keep-a-copy.js'), program('syncing/keep-a-copy.js'));
  await expect(project.run('keep-a-copy.js', {}, ['--no-experimental-sqlite'])).rejects.toThrow(
    'This program needs Node 22.13 or newer, which has node:sqlite.',
  );
});

describe('the receiver of the SDK’s guide', () => {
  const secret = newSecret();
  const data = { invoice: { number: '2026-0001' } };
  const body = JSON.stringify({ event: 'invoice.paid', tenant_id: '', created_at: '', data });
  const headers = (timestamp = Math.floor(Date.now() / 1000)): Record<string, string> =>
    deliveryHeaders({
      body,
      event: 'invoice.paid',
      deliveryId: '',
      attempt: 1,
      eventId: 'evt',
      timestamp,
      secrets: { document: secret, standard: [secret] },
    });

  it('answers 204 to a genuine delivery, and 401 to a tampered, an old, and an unsigned one', async () => {
    await writeFile(join(project.folder, 'receiver.js'), receiver);
    await checkTypes(project, 'receiver.js');
    const port = await freePort();
    const child = spawn(process.execPath, ['receiver.js'], {
      cwd: project.folder,
      env: { ...process.env, PORT: port, WEBHOOK_SECRET: secret },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    const post = (sent: string, given: Record<string, string>): Promise<number> =>
      fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: sent, headers: given }).then(({ status }) => status);
    try {
      await expect.poll(() => post('', {}).catch(() => 'no answer')).toBe(401);
      expect(await post(body, headers())).toBe(204);
      expect(out).toBe('2026-0001 is paid\n');
      expect(await post(body.replace('paid', 'Paid'), headers())).toBe(401);
      expect(await post(body, headers(1_769_851_800))).toBe(401);
      expect(out).toBe('2026-0001 is paid\n');
    } finally {
      child.kill();
      await once(child, 'exit');
    }
  });
});
