import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Pool } from 'pg';
import { connect } from '../../prisma/client.ts';
import { version } from '../../schema/version.ts';
import { verifyPassword } from '../../src/identity/index.ts';
import { createWallClock } from '../faults/year/wall-clock.ts';
import { createDatabase, type Database } from '../harness.ts';
import { kontor as kontorInHost } from './command-lines.ts';
import { kontor } from './npm.ts';

let database: Database;
let run: (...args: string[]) => ReturnType<typeof kontor>;
let json: <T>(...args: string[]) => Promise<T>;
const settings = () => ({ DATABASE_URL: database.url, KONTOR_SECRET: 'long-enough-to-be-one-for-the-tests' });

beforeAll(async () => {
  database = await createDatabase();
  run = (...args) => kontorInHost(args, settings());
  json = async <T>(...args: string[]) => JSON.parse((await run(...args, '--json')).out) as T;
});
afterAll(() => database.drop());

describe('the command line', () => {
  it('creates a tenant, adds a user, creates, lists, and revokes a token, removes the user, closes the tenant', async () => {
    const tenant = await json<{ id: string; name: string }>(
      'tenant',
      'create',
      '--name',
      'Acme',
      '--country',
      'NL',
      '--currency',
      'JPY',
      '--timezone',
      'Asia/Tokyo',
    );
    expect(await json('tenant', 'list')).toEqual([
      {
        id: tenant.id,
        name: 'Acme',
        country: 'NL',
        default_currency: 'JPY',
        timezone: 'Asia/Tokyo',
        closed_at: null,
        deletion_started_at: null,
        created_at: expect.stringMatching(/\+00:00$/),
        test: false,
        test_of: null,
        clock_ahead_ms: 0,
      },
    ]);
    const user = await json<{ id: string }>(
      'user',
      'create',
      '--email',
      'Ada@Example.com',
      '--name',
      'Ada',
      '--tenant',
      tenant.id,
    );
    expect(user).toMatchObject({ email: 'ada@example.com', name: 'Ada' });

    const token = await json<{ id: string; token: string }>(
      'token',
      'create',
      '--tenant',
      tenant.id,
      '--name',
      'CI',
      '--abilities',
      'read,invoices:write',
      '--expires',
      '2099-01-01',
    );
    expect(token.token).toMatch(/^kontor_[0-9A-Za-z]{46}$/);
    const listed = await run('token', 'list', '--tenant', tenant.id, '--json');
    expect(listed.out).not.toContain(token.token);
    expect(JSON.parse(listed.out)).toMatchObject([
      {
        id: token.id,
        name: 'CI',
        abilities: ['read', 'invoices:write'],
        last_four: token.token.slice(-4),
        expires_at: '2099-01-01T00:00:00+00:00',
        revoked_at: null,
      },
    ]);

    const state = async (): Promise<string | undefined> =>
      (await run('token', 'list', '--tenant', tenant.id)).out.trimEnd().split('\t').at(-1);
    expect(await state()).toBe('unused');
    const books = new Pool({ connectionString: database.url });
    await books.query("update api_tokens set expires_at = '2026-01-01T00:00:00Z' where id = $1", [token.id]);
    await books.end();
    expect(await state()).toBe('expired 2026-01-01T00:00:00+00:00');
    expect(await run('token', 'revoke', token.id)).toMatchObject({ code: 0 });
    expect(await state()).toBe('revoked');
    expect(await run('user', 'remove', '--email', 'ada@example.com', '--tenant', tenant.id)).toMatchObject({ code: 0 });
    const refused = await run('tenant', 'close', tenant.id, '--confirm', 'Another');
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(`--confirm "${tenant.name}"`) });
    expect(await run('tenant', 'close', tenant.id, '--confirm', tenant.name)).toMatchObject({ code: 0 });
    expect(await run('tenant', 'reopen', tenant.id)).toMatchObject({ code: 0 });
    expect(await run('tenant', 'reopen', tenant.id)).toMatchObject({ code: 1 });
    // By the database's time: else it could be deleted at once.
    const folder = await mkdtemp(join(tmpdir(), 'kontor-clock-'));
    const behind = await createWallClock(join(folder, 'clock'));
    await behind.set(-40 * 86_400);
    const close = ['tenant', 'close', tenant.id, '--confirm', tenant.name];
    expect(await kontor(close, { ...settings(), ...behind.settings })).toMatchObject({ code: 0 });
    await rm(folder, { recursive: true });
    expect(await json('tenant', 'list')).toMatchObject([{ closed_at: expect.any(String) }]);
    expect(await run('tenant', 'delete', tenant.id, '--yes')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^kontor: Tenant \S+ was closed \S+: it can be deleted from \S+\n$/),
    });
    const pool = new Pool({ connectionString: database.url });
    await pool.query(`update tenants set closed_at = closed_at - interval '30 days'`);
    await pool.end();
    expect(await run('tenant', 'delete', tenant.id)).toMatchObject({
      code: 1,
      err: 'kontor: All books of "Acme" will be deleted for good. To confirm: --yes\n',
    });
    const certificate = await run('tenant', 'delete', tenant.id, '--yes', '--json');
    const { hash, ...content } = JSON.parse(certificate.out) as { hash: string; rows: Record<string, number> };
    expect(createHash('sha256').update(JSON.stringify(content)).digest('hex')).toBe(hash);
    expect(content).toMatchObject({ tenant_id: tenant.id, rows: { tenants: 1, audit_entries: expect.any(Number) } });
    expect(JSON.parse((await run('tenant', 'delete', tenant.id)).out)).toEqual({ ...content, hash });
    expect(await json('tenant', 'list')).toEqual([]);
  }, 180_000);

  it('invites a user by a link, and resets a password', async () => {
    const tenant = await json<{ id: string }>('tenant', 'create', '--name', 'Guests');
    const invitation = await json<{ link: string }>(
      'user',
      'invite',
      '--email',
      'Bob@Example.com',
      '--tenant',
      tenant.id,
    );
    expect(invitation).toEqual({
      id: expect.any(String),
      email: 'bob@example.com',
      created_at: expect.any(String),
      expires_at: expect.stringMatching(/\+00:00$/),
      invited_by: null,
      link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:4000\/invitation\/[\w-]{43}$/),
    });
    await json('user', 'create', '--email', 'bob@example.com', '--tenant', tenant.id);
    const password = 'correct horse battery staple';
    expect(await json('user', 'password', '--email', 'Bob@example.com', '--password', password)).toEqual({
      email: 'bob@example.com',
      revoked_tokens: 0,
      active_tokens: 0,
      changed: true,
    });
  }, 180_000);

  it("exports a user's data, and erases the user once that is confirmed", async () => {
    await json('user', 'create', '--email', 'eve@example.com', '--name', 'Eve');
    expect(await json('user', 'export', 'eve@example.com')).toMatchObject({
      account: { name: 'Eve', has_password: false },
      memberships: [],
      references: [],
    });
    expect(await run('user', 'erase', 'eve@example.com')).toMatchObject({
      code: 1,
      err: 'kontor: The account of eve@example.com will be deleted for good. To confirm: --yes\n',
    });
    expect(await json('user', 'erase', 'EVE@example.com', '--yes')).toEqual({
      id: expect.any(String),
      references: [],
      without_members: [],
    });
    expect(await run('user', 'export', 'eve@example.com')).toMatchObject({
      code: 1,
      err: 'kontor: Unknown user "eve@example.com"\n',
    });
  });

  it('reads a password from standard input, because a command line is public', async () => {
    const email = 'grace@example.com';
    const env = { DATABASE_URL: database.url, KONTOR_SECRET: 'long-enough-to-be-one-for-the-tests' };
    const [first, second] = ['correct horse battery staple', 'pässwörd of another keyboard'];
    const made = await kontor(['user', 'create', '--email', email, '--password-stdin'], env, `${first}\n`);
    expect(made).toMatchObject({ code: 0, err: '' });
    const pool = new Pool({ connectionString: database.url, max: 1 });
    const client = connect(pool);
    expect(await verifyPassword(client, email, first)).not.toBeNull();
    const changed = await kontor(['user', 'password', '--email', email, '--password', '-', '--json'], env, second);
    expect(JSON.parse(changed.out)).toMatchObject({ changed: true });
    expect(await verifyPassword(client, email, second)).not.toBeNull();
    await client.$disconnect();
    await pool.end();
    const both = ['user', 'password', '--email', email, '--password', first, '--password-stdin'];
    expect((await kontorInHost(both, env, second)).err).toBe('kontor: Use either --password or --password-stdin\n');
    expect((await kontorInHost(['user', 'password', '--email', email], env)).err).toContain('--password-stdin');
  }, 180_000);

  it('creates, lists, pings, rotates, enables, and deletes a webhook', async () => {
    const tenant = await json<{ id: string }>('tenant', 'create', '--name', 'Hooks');
    const url = 'https://hooks.example.com/kontor';
    const events = 'invoice.paid,customer.created';
    const create = [
      'webhook',
      'create',
      '--tenant',
      tenant.id,
      '--url',
      url,
      '--events',
      events,
      '--description',
      'Shop',
    ];
    const { out } = await kontor([...create, '--json'], settings());
    const made = JSON.parse(out) as { id: string; secret: string };
    expect(made).toMatchObject({
      url,
      description: 'Shop',
      events: ['invoice.paid', 'customer.created'],
      active: true,
      secret: expect.stringMatching(/^whsec_/),
    });
    const listed = await run('webhook', 'list', '--tenant', tenant.id, '--json');
    expect(listed.out).not.toContain(made.secret);
    expect(JSON.parse(listed.out)).toMatchObject([{ id: made.id, url, consecutive_failures: 0, waiting: 0 }]);
    expect(await json('webhook', 'ping', made.id)).toMatchObject({ webhook_id: made.id, state: 'WAITING' });
    const rotated = await json<{ secret: string }>('webhook', 'rotate', made.id);
    expect(rotated.secret).toMatch(/^whsec_/);
    expect(rotated.secret).not.toBe(made.secret);
    expect(await json('webhook', 'enable', made.id)).toMatchObject({ active: true });
    expect(await json('webhook', 'delete', made.id)).toEqual({ id: made.id, deleted: true });
    expect(await json('webhook', 'list', '--tenant', tenant.id)).toEqual([]);
  }, 180_000);

  it.each([
    [['webhook', 'create', '--tenant', 'abc', '--url', 'https://hooks.example.com'], 'tenant'],
    [['webhook', 'ping', '01890000-0000-7000-8000-000000000000'], 'webhook'],
    [['bank', 'import', '--tenant', 'abc', 'nowhere.xml'], 'tenant'],
    [['tenant', 'create', '--name', ''], 'name'],
    [['tenant', 'create', '--name', 'X', '--country', 'XX'], 'country'],
    [['tenant', 'create', '--name', 'X', '--currency', 'EURO'], 'currency'],
    [['tenant', 'create', '--name', 'X', '--timezone', 'Mars/Olympus'], 'time zone'],
    [['tenant', 'close', '00000000-0000-7000-8000-000000000000'], 'tenant'],
    [['user', 'create', '--email', 'nobody@'], 'mail'],
    [['user', 'invite', '--email', 'bob@example.com', '--tenant', 'abc'], 'tenant'],
    [['user', 'password', '--email', 'nobody@example.com', '--password', 'x'.repeat(12)], 'nobody@example.com'],
    [['user', 'password', '--email', 'bob@example.com', '--password', 'short'], '12 characters'],
    [['token', 'create', '--tenant', 'abc'], 'tenant'],
    [['token', 'create'], '--tenant'],
    [['token', 'create', '--no-tenant', '--user', 'ada@example.com', '--abilities', 'everything'], 'everything'],
    [['token', 'create', '--no-tenant', '--user', 'ada@example.com', '--expires', 'soon'], '--expires'],
    [['token', 'create', '--no-tenant', '--user', 'ada@example.com', '--expires', '2099-02-31'], '--expires'],
    [['token', 'revoke', 'abc'], 'token'],
  ])('what is refused exits non-zero with one clear line on standard error: %j', async (args, named) => {
    const { code, out, err } = await run(...args);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^kontor: [^\n]+\n$/);
    expect(err).toContain(named);
  });

  it('registers, lists, and deletes trusted documents', async () => {
    const { id } = await json<{ id: string }>('tenant', 'create', '--name', 'Documents', '--country', 'NL');
    const folder = await mkdtemp(join(tmpdir(), 'kontor-documents-'));
    const manifest = async (text: string): Promise<string> => {
      const hash = createHash('sha256').update(text).digest('hex');
      await writeFile(join(folder, 'manifest.json'), JSON.stringify({ [hash]: text }));
      return hash;
    };
    const push = ['documents', 'push', join(folder, 'manifest.json'), '--tenant', id];
    try {
      const hash = await manifest('query Me { me { user { id } } }');
      const { out } = await kontor([...push, '--json'], settings());
      expect(JSON.parse(out)).toEqual({ documents: 1, created: 1 });
      expect(await json(...push)).toEqual({ documents: 1, created: 0 });
      const created_at = expect.stringMatching(/\+00:00$/);
      expect(await json('documents', 'list', '--tenant', id)).toEqual([
        { hash, name: 'Me', tenant_id: id, created_at },
      ]);
      expect(await json('documents', 'list')).toEqual([]);
      expect((await run('documents', 'delete', hash)).err).toBe(`kontor: Unknown document "${hash}"\n`);
      expect(await json('documents', 'delete', hash, '--tenant', id)).toEqual({ hash, deleted: true });
      const invalid = await manifest('{ nothing }');
      expect(await run(...push)).toMatchObject({
        code: 5,
        err: expect.stringContaining(`${invalid}: Cannot query field "nothing"`),
      });
      expect((await run('documents', 'push', 'nowhere.json')).err).toContain("nowhere.json can't be read");
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it.each([
    [['start']],
    [['serve']],
    [['work']],
    [['migrate']],
    [['tenant']],
    [['tenant', 'create']],
    [['user', 'create']],
    [['token', 'create']],
    [['webhook', 'rotate']],
    [['bank', 'import']],
  ])('--help everywhere: %j', async (args) => {
    const { code, out } = await run(...args, '--help');
    expect(code).toBe(0);
    expect(out).toContain('Usage: kontor');
  });

  it('--help for all, in a process of its own', async () => {
    const { code, out } = await kontor(['--help'], settings());
    expect(code).toBe(0);
    expect(out).toContain('Usage: kontor');
  });

  it('--version', async () => {
    expect(await kontor(['--version'], settings())).toMatchObject({ code: 0, out: `${version}\n` });
  });
});
