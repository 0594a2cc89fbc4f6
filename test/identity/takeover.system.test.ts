import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTenant } from '../../src/identity/index.ts';
import { createDatabase, startService, type Answer, type Database, type Service } from '../harness.ts';
import { kontor } from '../processes/command-lines.ts';
import { enter, openBrowser, password, signedIn, makeUser, type Browser } from './browser.ts';

// An attacker makes an account of an address that isn't theirs, by an invitation of their own. Whoever later lets that
// address into other books must not let the attacker in.

let database: Database;
let service: Service;
let run: (...args: string[]) => ReturnType<typeof kontor>;

beforeAll(async () => {
  database = await createDatabase();
  service = await startService({ database, trustedProxies: 1 });
  const env = { DATABASE_URL: database.url, KONTOR_SECRET: 'the secret of the tests, long enough' };
  run = (...args) => kontor(args, env);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const invite = 'mutation ($email: String!) { inviteMember(email: $email) { link } }';
const accept = (by: Browser, body: object): Promise<Answer> => by.request('POST', '/api/auth/invitation/accept', body);
const secretOf = (link: string): string => link.trim().split('/').at(-1) ?? '';
const isMember = async (email: string, tenantId: string): Promise<boolean> =>
  (await service.client.membership.count({ where: { tenantId, user: { email } } })) === 1;

/** An attacker invites the victim's address to books of their own, and takes the account that the invitation makes. */
async function attack() {
  const attacker = await signedIn(service);
  const victim = `victim-${randomUUID()}@example.com`;
  const { link } = (await attacker.browser.graphql(invite, { email: victim })).body.data.inviteMember;
  const taken = openBrowser(service);
  await accept(taken, { token: secretOf(link), name: 'Victim', password });
  expect((await taken.signIn(victim)).status).toBe(200);
  await accept(taken, { token: secretOf(link) });
  expect(await isMember(victim, attacker.tenantId)).toBe(true);
  const made = 'mutation { createApiToken(input: { name: "kept" }) { value } }';
  const { value } = (await taken.graphql(made)).body.data.createApiToken;
  return { attacker, victim, taken, token: value as string };
}

const books = async (): Promise<string> => (await createTenant(service.client, { name: 'Books of B' })).id;

describe('an account that an attacker created with a victim’s address', { timeout: 180_000 }, () => {
  it('is not added to another tenant by `user create`, which warns and creates an invitation', async () => {
    const { attacker, victim, taken } = await attack();
    const tenantId = await books();
    const { code, out, err } = await run('user', 'create', '--email', victim, '--tenant', tenantId);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/has an account already, since \d{4}-\d{2}-\d{2}T[^ ]+, made by an invitation of /);
    expect(out).toContain(`of ${attacker.email} to Acme (${attacker.tenantId})`);
    expect(out).toContain('Nobody has proven that the address is theirs');
    expect(out).toMatch(/\/invitation\/[\w-]{43}$/m);
    expect(await isMember(victim, tenantId)).toBe(false);

    expect((await taken.graphql('{ customers { totalCount } }', {}, tenantId)).status, 'reads nothing of B').toBe(403);
    const minted = await run('token', 'create', '--tenant', tenantId, '--user', victim);
    expect([minted.code, minted.out]).toEqual([1, '']);

    const json = await run('user', 'create', '--email', victim, '--tenant', tenantId, '--json');
    expect(JSON.parse(json.out)).toEqual({
      account: {
        id: expect.any(String),
        email: victim,
        name: 'Victim',
        created_at: expect.stringMatching(/\+00:00$/),
        email_verified_at: null,
        invited_by: { id: attacker.userId, name: 'Ada', email: attacker.email },
        invited_to: { id: attacker.tenantId, name: 'Acme' },
      },
      invitation: {
        id: expect.any(String),
        email: victim,
        created_at: expect.any(String),
        expires_at: expect.any(String),
        invited_by: null,
        link: expect.stringMatching(/\/invitation\/[\w-]{43}$/),
      },
    });
  });

  it('causes the same warning by `user invite`', async () => {
    const { attacker, victim } = await attack();
    const { code, out } = await run('user', 'invite', '--email', victim, '--tenant', await books());
    expect(code).toBe(0);
    expect(out).toContain(`made by an invitation of ${attacker.email}`);
    expect(out).toContain('Nobody has proven that the address is theirs');
  });

  it('joins another tenant only with `--existing`, which warns too', async () => {
    const { victim } = await attack();
    const tenantId = await books();
    const { code, out } = await run('user', 'create', '--email', victim, '--tenant', tenantId, '--existing');
    expect(code).toBe(0);
    expect(out).toContain('Nobody has proven that the address is theirs');
    expect(await isMember(victim, tenantId)).toBe(true);
    const nobody = await run('user', 'create', '--email', 'nobody@example.com', '--tenant', tenantId, '--existing');
    expect(nobody).toEqual({ code: 1, out: '', err: 'kontor: Unknown user "nobody@example.com"\n' });
  });

  it('doesn’t join when a member of another tenant invites the address: the attacker doesn’t have the link', async () => {
    const { victim, taken } = await attack();
    const admin = await signedIn(service);
    const { link } = (await admin.browser.graphql(invite, { email: victim })).body.data.inviteMember;
    expect(await isMember(victim, admin.tenantId)).toBe(false);
    expect((await taken.graphql('{ me { tenants { id } } }')).body.data.me.tenants).toHaveLength(1);
    // The victim, with the link and without the account, gets no further than anybody else.
    expect((await accept(openBrowser(service), { token: secretOf(link) })).status).toBe(403);
    expect(await isMember(victim, admin.tenantId)).toBe(false);
  });

  it('becomes its owner’s when the operator sets a password: the attacker’s sessions and tokens end', async () => {
    const { victim, taken, token } = await attack();
    const tenantId = await books();
    const invited = await run('user', 'create', '--email', victim, '--tenant', tenantId, '--json');
    const { link } = (JSON.parse(invited.out) as { invitation: { link: string } }).invitation;
    const own = 'a password that only the owner knows';
    await run('user', 'password', '--email', victim, '--password', own, '--revoke-tokens');
    expect((await taken.graphql('{ me { user { id } } }')).status).toBe(401);
    const withToken = { headers: { authorization: `Bearer ${token}` } };
    expect((await service.request('GET', '/api/v1/me', withToken)).status).toBe(401);
    expect((await openBrowser(service).signIn(victim)).status).toBe(401);

    const owner = openBrowser(service);
    await owner.signIn(victim, own);
    expect((await accept(owner, { token: secretOf(link) })).status).toBe(200);
    expect(await isMember(victim, tenantId)).toBe(true);
  });
});

describe('whether an address was verified', () => {
  const members = '{ members { emailVerifiedAt user { email } } }';

  it('is shown to members: yes for an account that the operator created, no for one from an invitation', async () => {
    const { victim, taken, attacker } = await attack();
    expect((await taken.graphql(members)).body.data.members).toEqual([
      { user: { email: attacker.email }, emailVerifiedAt: expect.stringMatching(/\+00:00$/) },
      { user: { email: victim }, emailVerifiedAt: null },
    ]);
  });

  it('is shown to the operator by `user show`', { timeout: 180_000 }, async () => {
    const { victim, attacker } = await attack();
    const shown = await run('user', 'show', '--email', victim, '--json');
    expect(JSON.parse(shown.out)).toMatchObject({
      email: victim,
      email_verified_at: null,
      invited_by: { email: attacker.email },
      tenants: [{ id: attacker.tenantId, name: 'Acme' }],
      active_tokens: 1,
    });
    const own = await run('user', 'show', '--email', attacker.email);
    expect(own.out).toContain('made on the command line');
    expect(own.out).not.toContain('Nobody has proven');
  });
});

it('an account joins only by its own session, also while others are signed in', async () => {
  const { email } = await makeUser(service);
  const inviter = await signedIn(service);
  const { link } = (await inviter.browser.graphql(invite, { email })).body.data.inviteMember;
  const token = secretOf(link);
  const stranger = await signedIn(service);
  for (const by of [openBrowser(service), stranger.browser, inviter.browser]) {
    await accept(by, { token });
    await accept(by, { token, name: 'Mallory', password: 'a password of the attacker’s' });
  }
  expect(await isMember(email, inviter.tenantId)).toBe(false);
  expect((await accept(await enter(service, { email }), { token })).status).toBe(200);
  expect(await isMember(email, inviter.tenantId)).toBe(true);
});
