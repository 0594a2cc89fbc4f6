import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addExistingUser, closeTenant, createTenant, removeUser } from '../../src/identity/index.ts';
import { createDatabase, startService, type Answer, type Database, type Service } from '../harness.ts';
import { getCode, enter, openBrowser, password, signedIn, makeUser, type Browser } from './browser.ts';

let database: Database;
let service: Service;
/** Another process on the same database. */
let other: Service;

beforeAll(async () => {
  database = await createDatabase();
  service = await startService({ database, trustedProxies: 1 });
  other = await startService({ database, trustedProxies: 1 });
});
afterAll(async () => {
  await service.close();
  await other.close();
  await database.drop();
});

const newTenant = async (name: string): Promise<string> => (await createTenant(service.client, { name })).id;
const outcome = (answer: Answer): [number, string | undefined] => [answer.status, getCode(answer)];

/** `data` of an answer without errors. */
// eslint-disable-next-line typescript/no-explicit-any
async function ask(browser: Browser, query: string, variables?: object, tenantId?: string): Promise<any> {
  const { body } = await browser.graphql(query, variables, tenantId);
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data;
}

const tenantNow = async (browser: Browser, tenantId?: string): Promise<string> =>
  (await ask(browser, '{ me { tenant { id } } }', {}, tenantId)).me.tenant.id;

describe('a session and its user’s tenants', () => {
  it('use the tenant of X-Tenant, by default the one joined first', async () => {
    const [zebra, acme] = [await newTenant('Zebra'), await newTenant('Acme')];
    const { browser } = await signedIn(service, zebra, acme);
    expect(await tenantNow(browser)).toBe(zebra);
    expect(await tenantNow(browser, acme)).toBe(acme);
    expect(await tenantNow(browser, acme.toUpperCase())).toBe(acme);
    expect((await ask(browser, '{ me { tenants { name } } }')).me.tenants).toEqual([
      { name: 'Acme' },
      { name: 'Zebra' },
    ]);
  });

  it('show nothing of one tenant in the other', async () => {
    const [acme, globex] = [await newTenant('Acme'), await newTenant('Globex')];
    const { browser } = await signedIn(service, acme, globex);
    const create = 'mutation ($name: String!) { createCustomer(input: { type: CUSTOMER, companyName: $name }) { id } }';
    const made = await ask(browser, create, { name: 'Of Globex' }, globex);
    const list = '{ customers { totalCount nodes { companyName } } }';
    expect((await ask(browser, list, {}, acme)).customers).toEqual({ totalCount: 0, nodes: [] });
    expect((await ask(browser, list, {}, globex)).customers.nodes).toEqual([{ companyName: 'Of Globex' }]);
    const one = await browser.graphql('query ($id: UUID!) { customer(id: $id) { id } }', made.createCustomer, acme);
    expect(getCode(one)).toBe('NOT_FOUND');
  });

  it('answer 403 alike to another user’s tenant, an unknown one, and an invalid one', async () => {
    const { browser } = await signedIn(service);
    const foreign = await signedIn(service);
    const answers = [];
    for (const tenantId of [foreign.tenantId, '01980000-0000-7000-8000-000000000000', 'x', "' or true --"]) {
      const answer = await browser.graphql('{ me { tenant { id } } }', {}, tenantId);
      const { requestId: _id, ...extensions } = answer.body.errors[0].extensions;
      answers.push([answer.status, answer.body.errors[0].message, extensions]);
    }
    for (const each of answers) {
      expect(each).toEqual([403, 'You do not belong to this tenant.', { code: 'FORBIDDEN' }]);
    }
  });

  it('leave out a closed tenant', async () => {
    const [first, second] = [await newTenant('First'), await newTenant('Second')];
    const { browser } = await signedIn(service, first, second);
    await closeTenant(service.client, first);
    expect(await tenantNow(browser)).toBe(second);
    expect((await ask(browser, '{ me { tenants { id } } }')).me.tenants).toEqual([{ id: second }]);
    expect(outcome(await browser.graphql('{ me { tenant { id } } }', {}, first))).toEqual([403, 'FORBIDDEN']);
  });

  it('a token can use only its own tenant', async () => {
    const acme = await service.integrator();
    const { email } = await service.client.user.findUniqueOrThrow({ where: { id: acme.userId } });
    await addExistingUser(service.client, { email, tenantId: await newTenant('Elsewhere') });
    expect((await acme.graphql('{ me { tenants { id } } }')).me.tenants).toEqual([{ id: acme.tenantId }]);
  });
});

describe('API tokens created in a session', () => {
  const create = `mutation ($input: CreateApiTokenInput!) {
    createApiToken(input: $input) { value apiToken { id name abilities lastFour expiresAt lastUsedAt } }
  }`;
  const list = '{ apiTokens { id name lastFour } }';
  const rest = (value: string, on = service): Promise<Answer> =>
    on.request('GET', '/api/v1/me', { headers: { authorization: `Bearer ${value}` } });

  it('show their value once, work at once over REST for this tenant, and are listed by their last four characters', async () => {
    const [acme, globex] = [await newTenant('Acme'), await newTenant('Globex')];
    const { browser, userId } = await signedIn(service, acme, globex);
    const input = { name: 'Shop', abilities: ['customers:read'], expiresAt: '2099-01-01T00:00:00Z' };
    const { value, apiToken } = (await ask(browser, create, { input }, globex)).createApiToken;
    expect(apiToken).toEqual({
      id: apiToken.id,
      name: 'Shop',
      abilities: ['customers:read'],
      lastFour: value.slice(-4),
      expiresAt: '2099-01-01T00:00:00+00:00',
      lastUsedAt: null,
    });
    const { body } = await rest(value);
    expect([body.data.user.id, body.data.tenant.id, body.data.token.id]).toEqual([userId, globex, apiToken.id]);
    const again = (await ask(browser, create, { input: { name: 'All' } }, globex)).createApiToken;
    expect(again.apiToken).toMatchObject({ abilities: ['*'], expiresAt: null });
    expect((await ask(browser, list, {}, globex)).apiTokens.map(({ name }: { name: string }) => name)).toEqual([
      'All',
      'Shop',
    ]);
    expect((await ask(browser, list, {}, acme)).apiTokens).toEqual([]);
  });

  it('can have every listed ability, each of which is described', async () => {
    const acme = await newTenant('Acme');
    const { browser } = await signedIn(service, acme);
    const { abilities } = await ask(browser, '{ abilities { name description } }');
    const names = abilities.map(({ name }: { name: string }) => name);
    const { apiToken } = (await ask(browser, create, { input: { name: 'Each', abilities: names } })).createApiToken;
    expect(apiToken.abilities).toEqual(names);
    expect(abilities).toEqual(
      expect.arrayContaining([
        { name: '*', description: 'Everything' },
        { name: 'read', description: 'Read everything' },
        { name: 'time-entries:write', description: 'Change time entries' },
      ]),
    );
  });

  it('are at most 100 valid ones; the next is answered 422 with advice', async () => {
    const { browser, userId, tenantId } = await signedIn(service);
    const row = { tenantId, userId, name: 'many', abilities: ['*'], lastFour: 'many' };
    const data = Array.from({ length: 99 }, () => ({ ...row, hash: randomBytes(32) }));
    await service.client.apiToken.createMany({ data });
    await ask(browser, create, { input: { name: 'The 100th' } });
    expect((await browser.graphql(create, { input: { name: 'The 101st' } })).body.errors[0].extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: { input: ['A user can have 100 active tokens for a tenant: revoke one that is no longer in use.'] },
    });
  });

  it('have a limit of requests of their own, up to the highest; it can be changed, and taken back', async () => {
    const { browser } = await signedIn(service);
    const limits = { requestsPerMinute: 60, maxRequestsPerMinute: 600 };
    const asked = '{ apiTokenLimits { requestsPerMinute maxRequestsPerMinute } }';
    expect((await ask(browser, asked)).apiTokenLimits).toEqual(limits);
    const set = `mutation ($id: UUID!, $to: Int) {
      updateApiToken(id: $id, input: { requestsPerMinute: $to }) { id requestsPerMinute }
    }`;
    const { value, apiToken } = (await ask(browser, create, { input: { name: 'x', requestsPerMinute: 600 } }))
      .createApiToken;
    const { id } = apiToken;
    const shown = async () => (await ask(browser, '{ apiTokens { id requestsPerMinute } }')).apiTokens;
    expect(await shown()).toEqual([{ id, requestsPerMinute: 600 }]);
    for (const to of [1, 599, null]) {
      expect((await ask(browser, set, { id, to })).updateApiToken).toEqual({ id, requestsPerMinute: to });
      expect(await shown()).toEqual([{ id, requestsPerMinute: to }]);
    }
    for (const to of [0, -1, 601]) {
      const details = [
        {
          field: 'input.requestsPerMinute',
          code: 'out_of_range',
          message: 'Must be from 1 to 600.',
          params: { min: 1, max: 600 },
        },
      ];
      const tries = [
        await browser.graphql(set, { id, to }),
        await browser.graphql(create, { input: { name: 'x', requestsPerMinute: to } }),
      ];
      for (const { body } of tries) expect(body.errors[0].extensions.details).toEqual(details);
    }
    expect(await shown()).toEqual([{ id, requestsPerMinute: null }]);

    // Neither a token nor another member changes it.
    const byToken = await service.request('POST', '/graphql', {
      body: { query: set, variables: { id, to: 5 } },
      headers: { authorization: `Bearer ${value}` },
    });
    expect(getCode(byToken)).toBe('FORBIDDEN');
    const { browser: stranger } = await signedIn(service);
    expect(getCode(await stranger.graphql(set, { id, to: 5 }))).toBe('NOT_FOUND');
    await ask(browser, 'mutation ($id: UUID!) { revokeApiToken(id: $id) { id } }', { id });
    expect(getCode(await browser.graphql(set, { id, to: 5 }))).toBe('NOT_FOUND');
  });

  it('report all invalid fields at once', async () => {
    const { browser } = await signedIn(service);
    const input = { name: ' ', abilities: ['read', 'fly'], expiresAt: '2020-01-01T00:00:00Z' };
    const { body } = await browser.graphql(create, { input });
    expect(body.errors[0].extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: {
        'input.name': ['Must not be empty.'],
        'input.abilities.1': ['There is no such ability.'],
        'input.expiresAt': ['Must be in the future.'],
      },
    });
    const none = await browser.graphql(create, { input: { name: 'x', abilities: [] } });
    expect(Object.keys(none.body.errors[0].extensions.errors)).toEqual(['input.abilities']);
  });

  it('are accepted by no process once revoked', async () => {
    const { browser } = await signedIn(service);
    const { value, apiToken } = (await ask(browser, create, { input: { name: 'x' } })).createApiToken;
    expect((await rest(value, other)).status).toBe(200);
    const revoke = 'mutation ($id: UUID!) { revokeApiToken(id: $id) { id } }';
    expect((await ask(browser, revoke, apiToken)).revokeApiToken).toEqual({ id: apiToken.id });
    expect((await rest(value, other)).status).toBe(401);
    expect((await ask(browser, list)).apiTokens).toEqual([]);
  });

  it('of another member, or for another tenant, can be neither seen nor revoked', async () => {
    const [acme, globex] = [await newTenant('Acme'), await newTenant('Globex')];
    const ada = await signedIn(service, acme, globex);
    const bob = await signedIn(service, acme);
    const { value, apiToken } = (await ask(ada.browser, create, { input: { name: 'x' } }, acme)).createApiToken;
    expect((await ask(bob.browser, list)).apiTokens).toEqual([]);
    const revoke = 'mutation ($id: UUID!) { revokeApiToken(id: $id) { id } }';
    expect(getCode(await bob.browser.graphql(revoke, apiToken))).toBe('NOT_FOUND');
    expect(getCode(await ada.browser.graphql(revoke, apiToken, globex))).toBe('NOT_FOUND');
    expect((await rest(value)).status).toBe(200);
  });
});

const waitsForLock = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

it('a new password that ends API tokens leaves none that a former session was just making', async () => {
  const tenantId = await newTenant('Acme');
  const bob = await signedIn(service, tenantId);
  const thief = await enter(service, bob);
  const holding = await service.pool.connect();
  try {
    await holding.query('begin');
    await holding.query('select from tenants where id = $1 for no key update', [tenantId]);
    const making = thief.graphql('mutation { createApiToken(input: { name: "Kept" }) { value } }');
    await expect.poll(async () => (await service.pool.query(waitsForLock)).rows).toHaveLength(1);
    const passwords = { currentPassword: password, newPassword: 'another horse battery staple', revokeTokens: true };
    const changed = await bob.browser.request('POST', '/api/auth/change-password', passwords);
    expect(changed.status).toBe(200);
    await holding.query('commit');
    expect(outcome(await making)).toEqual([200, 'UNAUTHENTICATED']);
  } finally {
    holding.release();
  }
  expect(await service.client.apiToken.count({ where: { userId: bob.userId, revokedAt: null } })).toBe(0);
});

describe('members', () => {
  const list = '{ members { user { id email } joinedAt } }';
  const remove = 'mutation ($userId: UUID!) { removeMember(userId: $userId) { user { id } } }';

  it('are those of this tenant, in the order they joined', async () => {
    const tenantId = await newTenant('Acme');
    const ada = await signedIn(service, tenantId);
    const bob = await makeUser(service, tenantId);
    await signedIn(service);
    const { members } = await ask(ada.browser, list);
    expect(members.map(({ user }: { user: object }) => user)).toEqual([
      { id: ada.userId, email: ada.email },
      { id: bob.userId, email: bob.email },
    ]);
  });

  it('who are removed lose the tenant at once in every process, with sessions, tokens, and invitations', async () => {
    const [acme, globex] = [await newTenant('Acme'), await newTenant('Globex')];
    const ada = await signedIn(service, acme);
    const bob = await signedIn(other, acme, globex);
    const token = 'mutation { createApiToken(input: { name: "x" }) { value } }';
    const { value } = (await ask(bob.browser, token, {}, acme)).createApiToken;
    const kept = (await ask(bob.browser, token, {}, globex)).createApiToken;
    const invite = 'mutation { inviteMember(email: "carl@example.com") { link } }';
    const { link } = (await ask(bob.browser, invite, {}, acme)).inviteMember;

    expect((await ask(ada.browser, remove, { userId: bob.userId })).removeMember.user.id).toBe(bob.userId);
    expect(outcome(await bob.browser.graphql(list, {}, acme))).toEqual([403, 'FORBIDDEN']);
    expect(await tenantNow(bob.browser)).toBe(globex);
    const rest = (of: string) => other.request('GET', '/api/v1/me', { headers: { authorization: `Bearer ${of}` } });
    expect((await rest(value)).status).toBe(403);
    expect((await rest(kept.value)).status).toBe(200);
    const look = await openBrowser(other).request('POST', '/api/auth/invitation', { token: link.split('/').at(-1) });
    expect(look.status).toBe(404);
    expect((await ask(ada.browser, list)).members).toHaveLength(1);

    await addExistingUser(service.client, { email: bob.email, tenantId: acme });
    expect((await rest(value)).status, 'even if they come back').toBe(403);
  });

  it('include at least one, also when two remove each other concurrently', async () => {
    const tenantId = await newTenant('Acme');
    const ada = await signedIn(service, tenantId);
    const alone = await ada.browser.graphql(remove, { userId: ada.userId });
    expect(alone.body.errors[0].extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: { userId: ['The last member has to stay: nobody could let others in.'] },
    });
    for (let round = 0; round < 5; round++) {
      const pair = await newTenant('Pair');
      const [one, two] = [await enter(service, ada), await signedIn(other, pair)];
      await addExistingUser(service.client, { email: ada.email, tenantId: pair });
      await Promise.all([
        one.graphql(remove, { userId: two.userId }, pair),
        two.browser.graphql(remove, { userId: ada.userId }, pair),
      ]);
      expect(await service.client.membership.count({ where: { tenantId: pair } })).toBe(1);
    }
  });

  it('do nothing more for the tenant once they are removed, also by a request that waited for that', async () => {
    const tenantId = await newTenant('Acme');
    const [ada, bob] = [await signedIn(service, tenantId), await signedIn(service, tenantId)];
    await makeUser(service, tenantId); // who is not the last
    const makeTest = 'mutation { createTestTenant(input: { name: "Back door" }) { token } }';
    for (const [document, variables, field] of [
      [makeTest, {}, 'input'],
      [remove, { userId: ada.userId }, 'userId'],
    ] as const) {
      const removing = await service.pool.connect();
      try {
        await removing.query('begin');
        await removing.query('select from tenants where id = $1 for no key update', [tenantId]);
        const waiting = bob.browser.graphql(document, variables, tenantId);
        await expect.poll(async () => (await service.pool.query(waitsForLock)).rows).toHaveLength(1);
        await removing.query('delete from memberships where tenant_id = $1 and user_id = $2', [tenantId, bob.userId]);
        await removing.query('commit');
        expect((await waiting).body.errors?.[0].extensions.errors).toEqual({
          [field]: [expect.stringMatching(/^Only members /)],
        });
      } finally {
        removing.release();
      }
      await addExistingUser(service.client, { email: bob.email, tenantId });
    }
    expect(await service.client.membership.count({ where: { tenantId, userId: ada.userId } })).toBe(1);
    expect(await service.client.tenant.count({ where: { testOf: tenantId } })).toBe(0);
  });

  it('can leave, and have no access to the tenant then', async () => {
    const tenantId = await newTenant('Acme');
    await makeUser(service, tenantId);
    const { browser, userId } = await signedIn(service, tenantId);
    await ask(browser, remove, { userId });
    expect(outcome(await browser.graphql(list))).toEqual([403, 'FORBIDDEN']);
  });

  it('of another tenant can’t be removed, and are answered like unknown users', async () => {
    const { browser, tenantId } = await signedIn(service);
    await makeUser(service, tenantId);
    const foreign = await makeUser(service);
    await makeUser(service, foreign.tenantId);
    const answers = [];
    for (const userId of [foreign.userId, '01980000-0000-7000-8000-000000000000']) {
      answers.push((await browser.graphql(remove, { userId })).body);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0].errors[0].extensions.code).toBe('NOT_FOUND');
    expect(await service.client.membership.count({ where: { userId: foreign.userId } })).toBe(1);
  });

  it('who are removed on the command line lose the tenant in their sessions too', async () => {
    const { browser, email, tenantId } = await signedIn(service);
    await removeUser(service.client, { email, tenantId });
    expect(outcome(await browser.graphql(list))).toEqual([403, 'FORBIDDEN']);
  });
});

describe('sessions', () => {
  const list = '{ sessions { id userAgent current } }';

  it('are listed for their user, with the current one marked; others can be ended one by one or all at once', async () => {
    const ada = await signedIn(service);
    const bob = await signedIn(service, ada.tenantId);
    expect((await ask(ada.browser, list)).sessions).toHaveLength(1);
    await enter(other, ada);
    const third = await enter(other, ada);
    const { sessions } = await ask(ada.browser, list);
    expect(sessions).toHaveLength(3);
    expect(sessions.map(({ current }: { current: boolean }) => current)).toEqual([false, false, true]);

    const revoke = 'mutation ($id: UUID!) { revokeSession(id: $id) { id } }';
    const theirs = (await ask(bob.browser, list)).sessions[0];
    expect(getCode(await ada.browser.graphql(revoke, theirs))).toBe('NOT_FOUND');
    expect(outcome(await bob.browser.graphql(list))).toEqual([200, undefined]);
    await ask(ada.browser, revoke, sessions[0]);
    expect(outcome(await third.graphql(list))).toEqual([401, 'UNAUTHENTICATED']);

    expect(await ask(ada.browser, 'mutation { revokeOtherSessions }')).toEqual({ revokeOtherSessions: 1 });
    expect((await ask(ada.browser, list)).sessions).toEqual([{ ...sessions[2], userAgent: expect.any(String) }]);
    expect(outcome(await bob.browser.graphql(list))).toEqual([200, undefined]);
  });

  it('show the browser’s User-Agent, cut to a bound', async () => {
    const { email, browser } = await signedIn(service);
    for (const userAgent of ['Phone', 'x'.repeat(5000)]) {
      await openBrowser(service).request(
        'POST',
        '/api/auth/sign-in/email',
        { email, password },
        { 'user-agent': userAgent },
      );
    }
    const told = (await ask(browser, list)).sessions.map(({ userAgent }: { userAgent: string }) => userAgent);
    expect(told.slice(0, 2)).toEqual(['x'.repeat(255), 'Phone']);
  });
});
