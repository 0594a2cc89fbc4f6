import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDomain } from '../../src/domain.ts';
import { createWebhooks } from '../../src/webhooks/webhooks.ts';
import { cleanUp } from '../../src/jobs/clean-up.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { runJob } from '../jobs/run-job.ts';
import { createWebhook, startReceiver, until, work, type Receiver } from './receiver.ts';
import { withHolder } from '../../prisma/client.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  acme = await service.integrator();
});
afterAll(() => service.close());

const failure = async (query: string, variables: object): Promise<object> =>
  (await acme.graphqlAnswer(query, variables)).body.errors[0].extensions;

const create = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret webhook { id } } }';

describe('a webhook', () => {
  it('gets a secret from the server, which is shown only at creation', async () => {
    const { id, secret } = await createWebhook(acme, { url: 'https://hooks.example.com/kontor' });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const shown = await acme.graphql(
      'query ($id: UUID!) { webhook(id: $id) { url description events active consecutiveFailures disabledAt } }',
      { id },
    );
    expect(shown.webhook).toEqual({
      url: 'https://hooks.example.com/kontor',
      description: null,
      events: ['*'],
      active: true,
      consecutiveFailures: 0,
      disabledAt: null,
    });
    const { __type } = await acme.graphql('{ __type(name: "Webhook") { fields { name } } }');
    expect(
      __type.fields.map(({ name }: { name: string }) => name).filter((name: string) => /secret/i.test(name)),
    ).toEqual(['previousSecretUntil', 'formerSecretsUntil']);
  });

  it('is one of at most 10 per tenant, also when created concurrently; deleting one makes room', async () => {
    const made = await Promise.all(
      Array.from({ length: 15 }, (_each, index) =>
        acme.graphqlAnswer(create, { input: { url: `https://hooks.example.com/${index}` } }),
      ),
    );
    const refused = made.flatMap(({ body }) => body.errors ?? []);
    expect(refused.map(({ extensions }) => extensions.code)).toEqual(refused.map(() => 'VALIDATION_FAILED'));
    const list = async () => (await acme.graphql('{ webhooks { nodes { id } } }')).webhooks.nodes;
    const webhooks = await list();
    for (let count = webhooks.length; count < 10; count += 1)
      await createWebhook(acme, { url: 'https://hooks.example.com' });
    expect(await failure(create, { input: { url: 'https://hooks.example.com/11' } })).toMatchObject({
      code: 'VALIDATION_FAILED',
    });
    expect(await list()).toHaveLength(10);
    await acme.graphql('mutation ($id: UUID!) { deleteWebhook(id: $id) { id } }', { id: webhooks[0].id });
    await createWebhook(acme, { url: 'https://hooks.example.com/11' });
  });

  it('rejects unknown events', async () => {
    expect(
      await failure(create, { input: { url: 'https://hooks.example.com', events: ['invoice.paid', 'invoice.eaten'] } }),
    ).toMatchObject({
      errors: { 'input.events.1': ['There is no such event.'] },
    });
    expect(await failure(create, { input: { url: 'https://hooks.example.com', events: [] } })).toMatchObject({
      errors: { 'input.events': ['Must name at least one event, or *.'] },
    });
  });

  it('can select every event type, and each type has a description', async () => {
    const { eventTypes } = await acme.graphql('{ eventTypes { name description } }');
    const names = eventTypes.map(({ name }: { name: string }) => name);
    expect(names).toContain('bank_transaction.matched');
    for (const { description } of eventTypes) expect(description.length).toBeGreaterThan(10);
    await createWebhook(acme, { url: 'https://hooks.example.com', events: names });
  });

  it('accepts only https:// URLs with public addresses, unless insecure URLs are allowed', async () => {
    const webhooks = createWebhooks({ secret: 'x'.repeat(32), allowInsecure: false });
    const strict = createDomain(service, webhooks, { url: service.url }, service.fileStorage);
    const faults = async (url: string): Promise<string | undefined> => {
      const context = strict.contextFor({
        user: { id: acme.userId, name: '', email: '' },
        tenant: {
          id: acme.tenantId,
          name: '',
          country: 'DE',
          defaultCurrency: 'EUR',
          timezone: 'UTC',
          test: false,
          holder: withHolder({ id: acme.tenantId, testOf: null }).holder,
          clockAheadMs: 0,
        },
        token: null,
      });
      return context.webhooks.findUrlProblem(url);
    };
    expect(await faults('http://hooks.example.com')).toBeDefined();
    expect(await faults('https://127.0.0.1/')).toBeDefined();
    expect(await faults('https://169.254.169.254/latest/meta-data')).toBeDefined();
    expect(await faults('https://user:password@hooks.example.com')).toBeDefined();
    expect(await faults('https://no-such-name.example.com/'), 'a name that does not resolve yet').toBeUndefined();
  });

  it('has its address checked in turn: a tenant with many slow names keeps nobody else waiting', async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<undefined>();
    let checks = 0;
    const findUrlProblem = (url: string): Promise<undefined> => {
      if (!url.includes('slow')) return Promise.resolve(undefined);
      checks += 1;
      return answered;
    };
    const webhooks = createWebhooks({ secret: 'x'.repeat(32), allowInsecure: false });
    const slow = await startService({ webhooks: { ...webhooks, findUrlProblem } });
    try {
      const [greedy, other] = [await slow.integrator(), await slow.integrator()];
      const made = Array.from({ length: 5 }, () => createWebhook(greedy, { url: 'https://slow.example.com' }));
      await until(() => checks > 0, 'the first check');
      await createWebhook(other, { url: 'https://hooks.example.com' });
      expect(checks).toBe(1);
      answer(undefined);
      await Promise.all(made);
      expect(checks).toBe(5);
    } finally {
      await slow.close();
    }
  });

  it("can't be read, changed, or pinged by another tenant, nor can its delivery log be read", async () => {
    const { id } = await createWebhook(acme, { url: 'https://hooks.example.com' });
    const other = await service.integrator();
    const unknown = '01890000-0000-7000-8000-000000000000';
    for (const mutation of [
      'mutation ($id: UUID!) { updateWebhook(id: $id, input: { active: false }) { id } }',
      'mutation ($id: UUID!) { enableWebhook(id: $id) { id } }',
      'mutation ($id: UUID!) { pingWebhook(id: $id) { id } }',
      'mutation ($id: UUID!) { rotateWebhookSecret(id: $id) { secret } }',
      'mutation ($id: UUID!) { deleteWebhook(id: $id) { id } }',
      'mutation ($id: UUID!) { redeliverMissed(webhookId: $id, since: "2026-01-01T00:00:00Z") }',
      'query ($id: UUID!) { webhook(id: $id) { id } }',
    ]) {
      const [foreign, none] = [
        await other.graphqlAnswer(mutation, { id }),
        await other.graphqlAnswer(mutation, { id: unknown }),
      ];
      expect(foreign.body.errors[0].extensions.code).toBe('NOT_FOUND');
      expect(foreign.text).toBe(none.text);
    }
    const log = await other.graphql('query ($id: UUID!) { deliveries(webhookId: $id) { totalCount } }', { id });
    expect(log.deliveries.totalCount).toBe(0);
  });
});

describe('the delivery log', () => {
  let receiver: Receiver;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    receiver = await startReceiver((response) =>
      response.writeHead(200, { 'x-answer': 'yes' }).end('é'.repeat(20_000)),
    );
    ({ stop } = await work(service));
  });
  afterAll(async () => {
    await stop();
    await receiver.close();
  });

  it('has request headers, status, response headers, and 16 KiB of the body; can be filtered by webhook, event, state, and time', async () => {
    const { id } = await createWebhook(acme, { url: receiver.url });
    const { id: other } = await createWebhook(acme, { url: `${receiver.url}/other`, events: ['project.created'] });
    await acme.rest('POST', '/customers', { type: 'customer', company_name: 'Buyer' });
    await acme.rest('POST', '/projects', { name: 'Work' });
    const count = async (args: string): Promise<number> =>
      (await acme.graphql(`{ deliveries(${args}) { totalCount } }`)).deliveries.totalCount;
    await until(async () => (await count('state: DELIVERED')) === 3, 'the deliveries');
    expect(await count(`webhookId: "${id}"`)).toBe(2);
    expect(await count(`webhookId: "${other}"`)).toBe(1);
    expect(await count('event: "project.created"')).toBe(2);
    expect(await count('state: FAILED')).toBe(0);
    expect(await count('since: "2999-01-01T00:00:00Z"')).toBe(0);
    expect(await count('until: "2999-01-01T00:00:00Z"')).toBe(3);

    const [delivery] = (
      await acme.graphql(`{ deliveries(webhookId: "${other}", first: 10) { nodes { attempts {
        number startedAt durationMs status error responseBody requestHeaders { name value } responseHeaders { name value } } } } }`)
    ).deliveries.nodes;
    expect(delivery.attempts).toEqual([
      {
        number: 1,
        startedAt: expect.any(String),
        durationMs: expect.any(Number),
        status: 200,
        error: null,
        responseBody: 'é'.repeat(8192),
        requestHeaders: expect.arrayContaining([
          { name: 'X-Service-Event', value: 'project.created' },
          { name: 'X-Service-Attempt', value: '1' },
        ]),
        responseHeaders: expect.arrayContaining([{ name: 'x-answer', value: 'yes' }]),
      },
    ]);
  });

  it('keeps deliveries for 90 days, or longer by EVENT_DAYS', async () => {
    const { id } = await createWebhook(acme, { url: receiver.url });
    await acme.rest('POST', '/customers', { type: 'customer', company_name: 'Old' });
    await acme.rest('POST', '/customers', { type: 'customer', company_name: 'New' });
    await until(
      async () => (await acme.db.delivery.count({ where: { webhookId: id, state: 'DELIVERED' } })) === 2,
      'the deliveries',
    );
    const [old] = await acme.db.delivery.findMany({ where: { webhookId: id }, orderBy: { id: 'asc' } });
    const createdAt = new Date(Date.now() - 90 * 86_400_000 - 1000);
    await acme.db.delivery.updateMany({ where: { id: old?.id ?? '' }, data: { createdAt } });
    await acme.db.event.updateMany({ where: { id: old?.eventId ?? '' }, data: { createdAt } });
    await runJob(cleanUp(service, 10, 91));
    expect(await acme.db.delivery.count({ where: { webhookId: id } })).toBe(2);
    await runJob(cleanUp(service, 10));
    expect((await acme.db.delivery.findMany({ where: { webhookId: id } })).map((each) => each.id)).not.toContain(
      old?.id,
    );
    expect(await acme.db.delivery.count({ where: { webhookId: id } })).toBe(1);
    expect(await acme.db.event.count({ where: { id: old?.eventId ?? '' } })).toBe(0);
    expect(await acme.db.deliveryAttempt.count({ where: { deliveryId: old?.id ?? '' } })).toBe(0);
  });
});
