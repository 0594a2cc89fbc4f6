import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asActor } from '../../prisma/client.ts';
import { sealNext } from '../../schema/resources/audit-log/seal.ts';
import { createInvitation, createToken, limitToken } from '../../src/identity/index.ts';
import { camt, imported } from '../bank/statement.ts';
import { item, makeCompany, makeCustomer, makeInvoice } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { signedIn } from '../identity/browser.ts';
import { expectComplete, readEntries } from './replay.ts';
import { take, walk } from './walk.ts';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Every tenth step runs with the nine after it. */
async function go(who: Integrator, steps: Parameters<typeof take>[1][], atOnce: number): Promise<void> {
  for (let at = 0; at < steps.length; at += atOnce)
    await Promise.all(steps.slice(at, at + atOnce).map((step) => take(who, step)));
}

describe('each change of a resource has one entry with the changed fields, and the entries lead to the books as they are', () => {
  it.each([
    ['one after the other', 1],
    ['at the same time', 5],
  ])('%s', async (_how, atOnce) => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(walk, async (steps) => {
        const who = await service.integrator();
        const draft = await makeInvoice(who);
        await makeInvoice(who, { status: 'PAID' });
        await who.rest('DELETE', `/customers/${await makeCustomer(who)}`);
        await who.graphql(
          'mutation ($id: UUID!, $input: UpdateInvoiceInput!) { updateInvoice(id: $id, input: $input) { id } }',
          { id: draft, input: { items: [{ ...item, quantity: '2' }] } },
        );
        await go(who, steps, atOnce);
        for (const { resource, action } of await expectComplete(service, who)) seen.add(`${resource} ${action}`);
      }),
      { numRuns: 6, endOnFailure: true },
    );
    // The walks have done something.
    for (const each of ['invoice updated', 'invoice_lines updated', 'payment created', 'customer deleted'])
      expect([...seen]).toContain(each);
  });
});

const last = async (who: Pick<Integrator, 'tenantId'>, resource: string) =>
  (await readEntries(service, who.tenantId, resource)).at(-1);

describe('an entry names the actor', () => {
  it('a token, with its user and the request', async () => {
    const who = await service.integrator();
    const { headers } = await who.rest('POST', '/customers', { type: 'customer', company_name: 'Globex' });
    expect(await last(who, 'customer')).toMatchObject({
      actor_kind: 'token',
      user_id: who.userId,
      token_id: who.tokenId,
      session_id: null,
      request_id: headers.get('x-request-id'),
      job: null,
    });
  });

  it('a session, also of a change of settings', async () => {
    const { browser, tenantId, userId } = await signedIn(service);
    const { headers } = await browser.graphql(
      'mutation { createApiToken(input: { name: "Sync" }) { apiToken { id } } }',
      {},
      tenantId,
    );
    const actor = { actor_kind: 'session', user_id: userId, token_id: null, request_id: headers.get('x-request-id') };
    expect(await last({ tenantId }, 'token')).toMatchObject({ ...actor, action: 'created', after: { name: 'Sync' } });
    await browser.graphql('mutation { updateCompany(input: { legalName: "Acme" }) { id } }', {}, tenantId);
    expect(await last({ tenantId }, 'company')).toMatchObject({ actor_kind: 'session', user_id: userId });
  });

  it('the command line, a job, and who accepts an invitation', async () => {
    const who = await service.integrator();
    await asActor({ kind: 'command_line' }, () => limitToken(service.client, who.tokenId, 7));
    expect(await last(who, 'token')).toMatchObject({
      actor_kind: 'command_line',
      user_id: null,
      before: { requests_per_minute: null },
      after: { requests_per_minute: 7 },
    });
    await asActor({ kind: 'job', job: 'overdue' }, () =>
      who.db.customer.create({ data: { type: 'CUSTOMER', companyName: 'Made by a job' } }),
    );
    expect(await last(who, 'customer')).toMatchObject({ actor_kind: 'job', job: 'overdue', user_id: null });
    const { browser, userId, email } = await signedIn(service);
    const { secret } = await createInvitation(service.client, {
      tenantId: who.tenantId,
      email,
      inviterId: null,
      now: new Date(),
    });
    expect((await browser.request('POST', '/api/auth/invitation/accept', { token: secret })).status).toBe(200);
    expect(await last(who, 'member')).toMatchObject({ actor_kind: 'user', user_id: userId, resource_id: userId });
  });

  it('nobody for a change past the service, whoever used the connection before', async () => {
    const who = await service.integrator();
    await makeCustomer(who);
    await who.db.customer.create({ data: { type: 'CUSTOMER', companyName: 'By hand' } });
    expect(await last(who, 'customer')).toMatchObject({ actor_kind: null, user_id: null, request_id: null });
  });

  it('each its own where two tenants and two requests use the same connections at once', async () => {
    const [acme, globex] = [await service.integrator(), await service.integrator()];
    const ids = await Promise.all(
      Array.from({ length: 60 }, async (_, at) => {
        const who = at % 2 ? acme : globex;
        const { headers, body } = await who.rest('POST', '/customers', { type: 'customer', company_name: `${at}` });
        return [body.data.id, headers.get('x-request-id'), who.tokenId];
      }),
    );
    for (const who of [acme, globex]) {
      const entries = await readEntries(service, who.tenantId, 'customer');
      const expected = ids.filter(([, , token]) => token === who.tokenId);
      const found = entries.map((each) => [each.resource_id, each.request_id, each.token_id]);
      expect(found.map(String).toSorted()).toEqual(expected.map(String).toSorted());
    }
  });

  it('an import, with the user', async () => {
    const who = await service.integrator();
    await imported(service, who, camt([{ amount: '119.00' }]));
    expect(await last(who, 'bank_transaction')).toMatchObject({ actor_kind: 'import', user_id: who.userId });
  });
});

it('a secret is in no entry: not that of a webhook, nor a token, nor an invitation', async () => {
  const who = await service.integrator();
  const { body } = await who.rest('POST', '/webhooks', { url: 'https://example.com/a', events: ['*'] });
  const { body: rotated } = await who.rest('POST', `/webhooks/${body.data.id}/rotate-secret`);
  const invitation = { tenantId: who.tenantId, email: 'b@example.com', inviterId: null, now: new Date() };
  const { secret: inviting } = await createInvitation(service.client, invitation);
  const token = await createToken(service.client, { tenantId: who.tenantId });
  const entries = await readEntries(service, who.tenantId);
  const { rows } = await service.pool.query(
    `select secret as value from webhooks union select hash from api_tokens union select hash from invitations`,
  );
  const text = JSON.stringify(entries);
  for (const secret of [
    body.data.secret,
    rotated.data.secret,
    inviting,
    token.token,
    ...rows.map(({ value }) => value.toString('hex')),
  ])
    expect(text).not.toContain(secret);
  expect(text).not.toContain('password');
  expect(entries.filter(({ resource }) => resource === 'webhook')).toMatchObject([
    { action: 'created', after: { secret: '***' } },
    { action: 'updated', before: { secret: '***' }, after: { secret: '***' } },
  ]);
});

describe('nobody changes an entry', () => {
  it.each(['update audit_entries set action = $$deleted$$', 'delete from audit_entries', 'delete from audit_seals'])(
    'the service’s role: %s',
    async (statement) => {
      const who = await service.integrator();
      await makeCustomer(who);
      const ask = async (): Promise<void> => {
        const client = await service.pool.connect();
        try {
          await client.query('begin');
          await client.query(`set local role kontor_books`);
          await client.query(`select set_config('kontor.tenant_id', $1, true)`, [who.tenantId]);
          await client.query(statement);
        } finally {
          await client.query('rollback');
          client.release();
        }
      };
      await expect(ask()).rejects.toThrow('permission denied');
    },
  );

  it('nor the owner, before seven years are over; then the oldest can go', async () => {
    const who = await service.integrator();
    await makeCustomer(who);
    const { tenantId } = who;
    await expect(service.pool.query('update audit_entries set job = $1', ['x'])).rejects.toThrow('can not change');
    await expect(service.pool.query('delete from audit_entries where tenant_id = $1', [tenantId])).rejects.toThrow(
      'can not change',
    );
    const old = `insert into audit_entries (tenant_id, id, position, at, resource, action)
      values ($1, $2, 1, now() - interval '7 years 1 day', 'customer', 'created')`;
    await service.pool.query(old, [tenantId, randomUUID()]);
    const { rowCount } = await service.pool.query(
      `delete from audit_entries where tenant_id = $1 and at < now() - interval '7 years'`,
      [tenantId],
    );
    expect(rowCount).toBe(1);
  });

  it('nor a seal, before seven years are over', async () => {
    const who = await service.integrator();
    await makeCustomer(who);
    while (await sealNext(await service.contextOf(who)));
    const seals = () => service.pool.query('select * from audit_seals where tenant_id = $1', [who.tenantId]);
    const before = (await seals()).rows;
    expect(before.length).toBeGreaterThan(0);
    for (const change of ["update audit_seals set hash = '\\x00'", 'delete from audit_seals'])
      await expect(service.pool.query(`${change} where tenant_id = $1`, [who.tenantId])).rejects.toThrow(
        'The audit log can not change',
      );
    expect((await seals()).rows).toEqual(before);
  });
});

it('a change that is rolled back, or whose entry can not be written, leaves neither', async () => {
  const who = await service.integrator();
  const innocent = await service.integrator();
  await makeCompany(who);
  const before = (await readEntries(service, who.tenantId)).length;
  await service.pool.query(
    `alter table audit_entries add constraint refused check (after ->> 'company_name' <> 'Refused')`,
  );
  const refused = await who.rest('POST', '/customers', { type: 'customer', company_name: 'Refused' });
  const accepted = await innocent.rest('POST', '/customers', { type: 'customer', company_name: 'Globex' });
  await service.pool.query('alter table audit_entries drop constraint refused');
  expect([refused.status, accepted.status]).toEqual([500, 201]);
  expect(await who.db.customer.count()).toBe(0);
  expect(await readEntries(service, who.tenantId)).toHaveLength(before);
});
