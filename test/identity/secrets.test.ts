import { afterAll, beforeAll, expect, it } from 'vitest';
import { createInvitation, createToken, startSession } from '../../src/identity/index.ts';
import { cleanUp } from '../../src/jobs/clean-up.ts';
import { startService, type Service } from '../harness.ts';
import { runJob } from '../jobs/run-job.ts';
import { openBrowser, password, signedIn } from './browser.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ trustedProxies: 1 });
});
afterAll(() => service.close());

/** Every row of every table, as text. */
async function dump(): Promise<string> {
  const { rows } = await service.pool.query<{ name: string }>(`
    select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`);
  const parts: string[] = [];
  for (const { name } of rows) {
    const table = await service.pool.query<{ row: string }>(`select t::text as row from ${name} t`);
    parts.push(...table.rows.map(({ row }) => row));
  }
  return parts.join('\n');
}

it('no password, session, token, or link is in the database or in the log', async () => {
  const { browser, email } = await signedIn(service);
  const ask = async (query: string) => (await browser.graphql(query)).body.data;
  const { value } = (await ask('mutation { createApiToken(input: { name: "x" }) { value } }')).createApiToken;
  const { link } = (await ask('mutation { inviteMember(email: "bob@example.com") { link } }')).inviteMember;
  const token = link.split('/').at(-1);
  await service.request('GET', `/invitation/${token}`);
  await openBrowser(service).request('POST', '/api/auth/invitation', { token });
  await openBrowser(service).signIn(email, 'wrong horse battery staple');
  await openBrowser(service).signIn('typed-by-mistake@example.com', 'wrong horse battery staple');
  const session = browser.cookie!.split('=')[1]!;
  const newPassword = 'another horse, another battery';
  await browser.request('POST', '/api/auth/change-password', { currentPassword: password, newPassword });
  const newSession = browser.cookie!.split('=')[1]!;
  await service.request('GET', '/api/v1/me', { headers: { authorization: `Bearer ${value}` } });

  const secrets = [password, newPassword, 'wrong horse', 'typed-by-mistake', session, newSession, value, token];
  const text = (await dump()) + service.log.join('\n');
  expect(text).toContain(email);
  for (const secret of secrets) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(Buffer.from(secret).toString('hex'));
    expect(text).not.toContain(Buffer.from(secret, 'base64url').toString('hex'));
  }
});

it('only expired rows are deleted', async () => {
  const { client } = service;
  const { userId, tenantId } = await signedIn(service);
  const session = async (minutesAgo: number) =>
    (await startSession(client, { userId, userAgent: null, now: new Date(Date.now() - minutesAgo * 60_000) })).session
      .id;
  const invitation = async (daysAgo: number) => {
    const now = new Date(Date.now() - daysAgo * 86_400_000);
    const input = { tenantId, email: `${daysAgo}@example.com`, inviterId: userId, now };
    return (await createInvitation(client, input)).invitation.id;
  };
  const token = async (ended: 'revokedAt' | 'expiresAt', daysAgo: number) => {
    const { id } = await createToken(client, { tenantId });
    const data = { [ended]: new Date(Date.now() - daysAgo * 86_400_000) };
    return (await client.apiToken.update({ where: { id }, data })).id;
  };
  const inUse = (await createToken(client, { tenantId })).id;
  const kept = [
    await session(29),
    await invitation(6),
    inUse,
    await token('revokedAt', 89),
    await token('expiresAt', 89),
  ];
  const busy = await session(721); // for 12 hours
  await client.session.update({ where: { id: busy }, data: { lastSeenAt: new Date() } });
  const expired = [busy, await session(31), await invitation(8)];
  expired.push(await token('revokedAt', 91), await token('expiresAt', 91));
  await runJob(cleanUp(service, 10));
  const { session: sessions, invitation: invitations, apiToken: tokens } = client;
  const rows = [await sessions.findMany(), await invitations.findMany(), await tokens.findMany()].flat();
  const ids = rows.map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(kept));
  for (const id of expired) expect(ids).not.toContain(id);
});
