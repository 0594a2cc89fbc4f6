import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import sirv from 'sirv';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRateLimiter, memoryStore } from '../../src/security/rate-limit.ts';
import { createToken } from '../../src/identity/index.ts';
import { newSecret, signatures } from '../../src/webhooks/signature.ts';
import { launch, noBrowser } from '../dashboard/browser.ts';
import { setCompany } from '../documents/parties.ts';
import { noFrontEnds } from '../front-ends/installed.ts';
import { createDatabase, startService, type Database, type Integrator, type Service } from '../harness.ts';
import { startTestTenant } from '../test-tenants/make.ts';
import { createWebhook, startReceiver, until, work } from '../webhooks/receiver.ts';
import { checkWithOldestTypeScript, compilePrograms, projectWithSdk, type Project } from './project.ts';

// The tarball of @kontor/sdk in an integrator's project: installed, type-checked, and run against the service.

let project: Project;
let database: Database;
let service: Service;
let acme: Integrator;

beforeAll(async () => {
  database = await createDatabase();
  [project, service] = await Promise.all([projectWithSdk(), startService({ database })]);
  await compilePrograms(project);
});
afterAll(async () => {
  await service.close();
  await database.drop();
  await project.remove();
});

/** Runs a program of test/sdk/programs/ with a tenant of its own. Its tests are those of node:test. */
async function run(program: string, env: Record<string, string> = {}): Promise<void> {
  await project.run(program, { KONTOR: service.url, TOKEN: acme.token, ...env });
}

beforeEach(async () => {
  acme = await startTestTenant(service, await service.integrator());
});

describe('the package', () => {
  it('has types, a license, and a readme, and needs nothing', async () => {
    const folder = join(project.folder, 'node_modules/@kontor/sdk');
    const read = (file: string): Promise<string> => readFile(join(folder, file), 'utf8');
    const manifest: unknown = JSON.parse(await read('package.json'));
    expect(manifest).toMatchObject({ name: '@kontor/sdk', license: 'MIT', type: 'module', sideEffects: false });
    expect(manifest).not.toHaveProperty('dependencies');
    expect(await read('LICENSE')).toContain('MIT License');
    expect(await read('README.md')).toContain('# @kontor/sdk');
    const files = await readdir(join(folder, 'dist'), { recursive: true });
    const code = await Promise.all(
      files.filter((file) => file.endsWith('.js')).map((file) => read(join('dist', file))),
    );
    expect(code.join('\n').match(/from '(?!\.)[^']*'/g)).toBeNull();
  });
});

it.skipIf(noFrontEnds)('its types are those of TypeScript 4.9 and newer', async () => {
  await writeFile(
    join(project.folder, 'oldest.ts'),
    `import { Kontor, verifyWebhook, type Customer } from '@kontor/sdk';
     const kontor = new Kontor({ baseUrl: '', token: '' });
     export async function use(): Promise<string | null> {
       const event = await verifyWebhook('', {}, '');
       if (event.event === 'invoice.paid') return event.data.invoice.number;
       const customer: Customer = await kontor.customers.get('');
       // @ts-expect-error This fails to compile if the types were unknown, which would allow anything.
       customer.nonsense;
       return customer.company_name;
     }`,
  );
  await checkWithOldestTypeScript(project, 'oldest.ts');
});

describe('its programs, type-checked strictly, and run on Node', () => {
  it('resources, lists, and errors', async () => {
    const { token } = await createToken(service.client, { tenantId: acme.tenantId, abilities: ['customers:read'] });
    const limited = await startService({
      database,
      limiter: () => createRateLimiter({ limit: 1, store: memoryStore() }),
    });
    await setCompany(acme);
    await run('resources.js', { READING_TOKEN: token, LIMITED_KONTOR: limited.url }).finally(limited.close);
  });

  it('retries behind a proxy with faults', () => run('faults.js'));

  it('the change feed', async () => {
    const { token } = await createToken(service.client, { tenantId: acme.tenantId, abilities: ['customers:read'] });
    await run('changes.js', { READING_TOKEN: token });
  });

  it('bulk operations', async () => {
    const { stop } = await work(service);
    const { token } = await createToken(service.client, { tenantId: acme.tenantId, abilities: ['customers:read'] });
    await run('bulk.js', { READING_TOKEN: token }).finally(stop);
  });

  it('exports', async () => {
    const { stop } = await work(service);
    const { token } = await createToken(service.client, { tenantId: acme.tenantId, abilities: ['customers:read'] });
    await run('exports.js', { READING_TOKEN: token }).finally(stop);
  });

  it('verification of the deliveries that the service sends', async () => {
    const { stop } = await work(service);
    const receiver = await startReceiver();
    const { id, secret: formerSecret } = await createWebhook(acme, { url: receiver.url });
    const { rotateWebhookSecret } = await acme.graphql(`mutation { rotateWebhookSecret(id: "${id}") { secret } }`);
    const { body } = await acme.rest('POST', '/customers', { type: 'customer', company_name: 'Bäckerei €' });
    const items = [{ title: 'Work', quantity: 1, unit_price_net: 100, vat_rate: 19 }];
    const invoice = { customer_id: body.data.id, invoice_date: '2026-01-31', status: 'paid', items };
    await acme.rest('POST', '/invoices', invoice);
    await acme.graphql(`mutation { pingWebhook(id: "${id}") { id } }`);
    const wanted = ['customer.created', 'invoice.paid', 'webhook.ping'];
    // One of each: a delivery whose answer comes too late is sent again.
    const sent = () =>
      wanted.flatMap((event) => receiver.requests.find(({ headers }) => headers['x-service-event'] === event) ?? []);
    await until(() => sent().length === wanted.length, 'the deliveries');
    const deliveries = { secret: rotateWebhookSecret.secret, formerSecret, deliveries: sent() };
    await writeFile(join(project.folder, 'deliveries.json'), JSON.stringify(deliveries));
    await run('webhooks.js').finally(async () => {
      await stop();
      await receiver.close();
    });
  });
});

/** Serves the project's files, as a site of another origin than the service. */
async function servePages(): Promise<{ origin: string; stop: () => void }> {
  const pages = createServer(sirv(project.folder)).listen(0, '127.0.0.1');
  await once(pages, 'listening');
  const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  const stop = (): void => {
    pages.closeAllConnections();
    pages.close();
  };
  return { origin, stop };
}

describe.skipIf(noBrowser)('in a browser', () => {
  it('a page of another origin creates, lists, changes, and deletes, and verifies a delivery', async () => {
    const imports = { '@kontor/sdk': '/node_modules/@kontor/sdk/dist/index.js' };
    const page = `<!doctype html><title>…</title><script type="importmap">${JSON.stringify({ imports })}</script>
      <body><script type="module" src="/in-browser.js"></script>`;
    await writeFile(join(project.folder, 'page.html'), page);
    const { origin, stop } = await servePages();
    const reached = await startService({ database, corsOrigins: [origin] });
    const browser = await launch();
    try {
      const secret = newSecret();
      const body = '{"event":"webhook.ping","data":{"message":"pong"}}';
      const timestamp = Math.floor(Date.now() / 1000);
      const signed = signatures({ body, eventId: 'x', timestamp, secrets: { document: secret, standard: [secret] } });
      const given = { url: reached.url, token: acme.token, secret, body, signed: JSON.stringify(signed) };
      const tab = await browser.newPage();
      await tab.goto(`${origin}/page.html?${new URLSearchParams(given)}`);
      await tab.waitForFunction('document.title === "done"');
      expect(JSON.parse((await tab.textContent('body')) ?? '')).toEqual({
        tenant: 'Acme',
        city: 'Kiel',
        isTagged: true,
        names: ['Museum aan de Haven', 'Nordlicht Verlag'],
        refused: [{ company_name: ['Must not be empty.'] }, 'string'],
        gone: true,
        event: 'webhook.ping',
      });
    } finally {
      await browser.close();
      await reached.close();
      stop();
    }
  });

  it('a worker of a page sends JSON Lines', async () => {
    const script = `import { Kontor } from '/node_modules/@kontor/sdk/dist/index.js';
      async function start(options) {
        const kontor = new Kontor({ ...options, maxRetries: 0 });
        const bodies = [{ type: 'customer', company_name: 'From a worker' }];
        return (await kontor.bulkOperations.start('customers', 'create', bodies)).action;
      }
      onmessage = ({ data }) => start(data).catch(String).then(postMessage);`;
    await writeFile(join(project.folder, 'worker.js'), script);
    await writeFile(join(project.folder, 'worker.html'), '<!doctype html><title>…</title>');
    const { origin, stop } = await servePages();
    const reached = await startService({ database, corsOrigins: [origin] });
    const browser = await launch();
    try {
      const tab = await browser.newPage();
      await tab.goto(`${origin}/worker.html`);
      const action = await tab.evaluate(
        (given) => {
          const worker = new Worker('/worker.js', { type: 'module' });
          return new Promise<unknown>((resolve) => {
            worker.addEventListener('message', ({ data }) => resolve(data));
            worker.postMessage(given, []);
          });
        },
        { baseUrl: reached.url, token: acme.token },
      );
      expect(action).toBe('create');
    } finally {
      await browser.close();
      await reached.close();
      stop();
    }
  });
});
