import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToken, createUser, removeUser } from '../../src/identity/index.ts';
import { auditedResources } from '../../schema/resources/audit-log/readable.ts';
import { sealNext } from '../../schema/resources/audit-log/seal.ts';
import { item, makeCustomer, makeInvoice, makePayment } from '../graphql/books.ts';
import { asIntegrator, startService, type Integrator, type Service } from '../harness.ts';
import { signedIn } from '../identity/browser.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const readLog = async (who: Integrator, query = ''): Promise<Record<string, unknown>[]> => {
  const { status, body } = await who.rest('GET', `/audit-log${query}`);
  expect([status, body.message]).toEqual([200, undefined]);
  return body.data as Record<string, unknown>[];
};

async function withAbilities(who: Integrator, ...abilities: string[]): Promise<Integrator> {
  const { token, id } = await createToken(service.client, { tenantId: who.tenantId, abilities });
  return asIntegrator(service, { ...who, token, tokenId: id });
}

describe('GET /audit-log', () => {
  it('answers each change with who made it, what was before, and what is after, newest first', async () => {
    const who = await service.integrator();
    const {
      body: { data: customer },
    } = await who.rest('POST', '/customers', { type: 'customer', company_name: 'Globex' });
    const { headers } = await who.rest('PATCH', `/customers/${customer.id}`, {
      company_name: 'Globex SE',
      city: 'Graz',
    });
    await who.rest('DELETE', `/customers/${customer.id}`);
    const [deleted, updated, created, ...others] = await readLog(who, `?resource_id=${customer.id}`);
    expect(others).toEqual([]);
    const { name } = await service.client.user.findUniqueOrThrow({ where: { id: who.userId } });
    const token = await service.client.apiToken.findFirstOrThrow({ where: { id: who.tokenId } });
    expect(updated).toEqual({
      id: expect.any(String),
      at: expect.stringMatching(/^2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
      actor: {
        kind: 'token',
        user_id: who.userId,
        user_name: name,
        token_id: who.tokenId,
        token_name: token.name,
        session_id: null,
        job: null,
      },
      request_id: headers.get('x-request-id'),
      resource: 'customer',
      resource_id: customer.id,
      version: 2,
      action: 'updated',
      before: { company_name: 'Globex', city: null },
      after: { company_name: 'Globex SE', city: 'Graz' },
      seal: null,
    });
    expect(created).toMatchObject({ action: 'created', before: null, after: { company_name: 'Globex' } });
    expect(deleted).toMatchObject({ action: 'deleted', before: { company_name: 'Globex SE' }, after: null });
  });

  it('says the number and the hash of an entry that is sealed', async () => {
    const who = await service.integrator();
    const id = await makeCustomer(who);
    while (await sealNext(await service.contextOf(who)));
    const [entry] = await readLog(who, `?resource_id=${id}`);
    const seal = await who.db.auditSeal.findFirstOrThrow({ where: { id: String(entry?.['id']) } });
    expect(entry?.['seal']).toBe(`${seal.number}:${Buffer.from(seal.hash).toString('hex')}`);
  });

  it('filters by resource, actor, and time', async () => {
    const who = await service.integrator();
    const customerId = await makeCustomer(who);
    const other = await withAbilities(who, '*');
    const receipt = { receipt_date: '2026-01-31', amount_gross: 119, vat_rate: 19 };
    const {
      body: { data: made },
    } = await other.rest('POST', '/receipts', receipt);
    const all = await readLog(who);
    const ids = async (query: string) => (await readLog(who, query)).map(({ resource_id: id }) => id);

    expect(await ids('?resource=receipt')).toEqual([made.id]);
    expect(await ids(`?actor=${other.tokenId}`)).toEqual([made.id]);
    expect(await ids(`?actor=${who.userId}&resource=customer`)).toEqual([customerId]);
    expect(await ids(`?actor=${randomUUID()}`)).toEqual([]);
    const { entry } = await who.db
      .$rows<{ entry: string }>(
        'select at::text as entry from audit_entries where tenant_id = $1 and resource_id = $2',
        [made.id],
      )
      .then(([row]) => row!);
    const at = new Date(entry);
    const query = 'query ($from: DateTime, $to: DateTime) { auditLog(from: $from, to: $to) { nodes { resourceId } } }';
    const within = async (from?: Date, to?: Date) => {
      const { auditLog } = await who.graphql(query, { from: from?.toISOString(), to: to?.toISOString() });
      return auditLog.nodes.map(({ resourceId }: { resourceId: string }) => resourceId);
    };
    const justAfter = new Date(at.getTime() + 1);
    expect(await within(at, justAfter)).toEqual([made.id]);
    expect(await within(justAfter)).toEqual([]);
    expect(await within(undefined, at)).toEqual(all.slice(1).map(({ resource_id: id }) => id));
    expect((await who.rest('GET', '/audit-log?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z')).body.errors).toEqual(
      {
        from: ['Must not be after to.'],
        to: ['Must not be before from.'],
      },
    );
    expect((await who.rest('GET', '/audit-log?resource=house')).body.errors).toEqual({
      resource: ['There is no such resource.'],
    });
  });

  it('names the users who acted, also who has left and whose account is gone, for the filter', async () => {
    const who = await service.integrator();
    const query = '{ auditUsers { id name } }';
    await makeCustomer(who);
    const others = [];
    for (const name of ['Lea Left', 'Gus Gone']) {
      const email = `${randomUUID()}@example.com`;
      const user = await createUser(service.client, { email, name, tenantId: who.tenantId });
      const { token, id } = await createToken(service.client, { tenantId: who.tenantId, userEmail: email });
      const customerId = await makeCustomer(asIntegrator(service, { ...who, userId: user.id, token, tokenId: id }));
      await removeUser(service.client, { email, tenantId: who.tenantId });
      others.push({ ...user, customerId });
    }
    const [left, gone] = others;
    await service.client.user.delete({ where: { id: gone!.id } });
    const { name } = await service.client.user.findUniqueOrThrow({ where: { id: who.userId } });
    expect(await who.graphql(query)).toEqual({
      auditUsers: [
        { id: who.userId, name },
        { id: left!.id, name: 'Lea Left' },
        { id: gone!.id, name: null },
      ],
    });
    expect((await readLog(who, `?actor=${left!.id}`)).map(({ resource_id: id }) => id)).toContain(left!.customerId);
    expect(await (await service.integrator()).graphql(query)).toEqual({ auditUsers: [] });
  });

  it('pages through all entries once', async () => {
    const who = await service.integrator();
    for (let n = 0; n < 5; n += 1) await makeCustomer(who);
    const all = await readLog(who, '?per_page=100');
    const { body } = await who.rest('GET', '/audit-log?per_page=2&page=2');
    expect(body.data).toEqual(all.slice(2, 4));
    expect(body.meta).toMatchObject({ total: all.length });
  });

  it('shows another tenant nothing', async () => {
    const [who, stranger] = [await service.integrator(), await service.integrator()];
    const id = await makeCustomer(who);
    expect(await readLog(stranger, `?resource_id=${id}`)).toEqual([]);
    const [entry] = await readLog(who, `?resource_id=${id}`);
    expect(await stranger.graphql('query ($id: ID!) { node(id: $id) { id } }', { id: entry?.['id'] })).toEqual({
      node: null,
    });
  });
});

describe('what a token may not read', () => {
  it('is left out, and refused when it is asked for', async () => {
    const who = await service.integrator();
    await makeInvoice(who);
    const auditor = await withAbilities(who, 'audit:read', 'customers:read');
    const seen = new Set((await readLog(auditor)).map(({ resource }) => resource));
    expect([...seen].toSorted()).toEqual(['customer', 'member', 'tenant', 'token']);
    const { status, body } = await auditor.rest('GET', '/audit-log?resource=payment');
    expect([status, body]).toEqual([
      403,
      { message: expect.stringContaining('invoices:read'), ...(body.request_id && { request_id: body.request_id }) },
    ]);
    const entryOf = async (resource: string) => (await who.db.auditEntry.findFirstOrThrow({ where: { resource } })).id;
    const ids = [await entryOf('invoice'), await entryOf('customer')];
    const { nodes } = await auditor.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids });
    expect(nodes).toEqual([null, { id: ids[1] }]);
    const without = await withAbilities(who, 'invoices:read', 'write');
    expect((await without.rest('GET', '/audit-log')).status).toBe(403);
  });

  it('is decided for everything that a trigger logs', async () => {
    const { rows } = await service.pool.query<{ resource: string }>(
      `select distinct split_part(encode(tgargs, 'escape'), '\\000', 1) as resource
       from pg_trigger join pg_proc on pg_proc.oid = tgfoid where proname like 'record\\_audit%'`,
    );
    expect(rows.map(({ resource }) => resource).toSorted()).toEqual(auditedResources.toSorted());
  });
});

describe('history', () => {
  it('of an invoice has its changes and those of its lines', async () => {
    const who = await service.integrator();
    const id = await makeInvoice(who);
    await who.graphql(
      'mutation ($id: UUID!, $input: UpdateInvoiceInput!) { updateInvoice(id: $id, input: $input) { id } }',
      { id, input: { subject: 'Again', items: [{ ...item, quantity: '3' }] } },
    );
    const query =
      'query ($id: UUID!) { invoice(id: $id) { history(first: 10) { totalCount nodes { resource action after } } } }';
    const { history } = (await who.graphql(query, { id })).invoice;
    const resources = history.nodes.map(({ resource, action }: Record<string, string>) => `${resource} ${action}`);
    expect(resources.toSorted()).toEqual([
      'invoice CREATED',
      'invoice UPDATED',
      'invoice_lines CREATED',
      'invoice_lines UPDATED',
    ]);
    expect(history.totalCount).toBe(4);
  });

  it('of a payment needs the abilities to read payments of every kind', async () => {
    const who = await service.integrator();
    const id = await makeInvoice(who, { status: 'ISSUED' });
    await makePayment(who, id, '1.00');
    const query = 'query ($id: UUID!) { invoice(id: $id) { payments { nodes { history(first: 1) { totalCount } } } } }';
    const count = async (reader: Integrator): Promise<number> =>
      (await reader.graphql(query, { id })).invoice.payments.nodes[0].history.totalCount;
    const held = ['audit:read', 'invoices:read'];
    expect(await count(await withAbilities(who, ...held))).toBe(0);
    expect(await count(await withAbilities(who, ...held, 'receipts:read'))).toBe(1);
  });

  it('needs audit:read', async () => {
    const who = await service.integrator();
    const id = await makeCustomer(who);
    const reader = await withAbilities(who, 'customers:read');
    const { body } = await reader.graphqlAnswer('query ($id: UUID!) { customer(id: $id) { history { totalCount } } }', {
      id,
    });
    expect(body.errors[0].extensions.code).toBe('FORBIDDEN');
  });
});

describe('a user whose account is gone', () => {
  it('is an id without a name', async () => {
    const { browser, tenantId, userId } = await signedIn(service);
    await browser.graphql('mutation { updateCompany(input: { legalName: "Acme" }) { id } }', {}, tenantId);
    const query = '{ auditLog(resource: "company") { nodes { actor { kind userId userName } } } }';
    const read = async () => (await browser.graphql(query, {}, tenantId)).body.data.auditLog.nodes[0].actor;
    const { name } = await service.client.user.findUniqueOrThrow({ where: { id: userId } });
    expect(await read()).toEqual({ kind: 'SESSION', userId, userName: name });
    await service.client.user.update({ where: { id: userId }, data: { name: 'Somebody else' } });
    expect(await read()).toEqual({ kind: 'SESSION', userId, userName: 'Somebody else' });
  });
});

it('a page of entries that is too long is refused, not written', async () => {
  const who = await service.integrator();
  const lines = Array.from({ length: 400 }, () => ({ ...item, description: 'x'.repeat(2000) }));
  await makeInvoice(who, { items: lines });
  await service.pool.query(
    `insert into audit_entries (tenant_id, id, position, at, resource, resource_id, action, after)
     select tenant_id, uuidv7(), position + n, now(), resource, resource_id, action, after
     from audit_entries, generate_series(1, 40) n where tenant_id = $1 and resource = 'invoice_lines'`,
    [who.tenantId],
  );
  const { status, body } = await who.rest('GET', '/audit-log?per_page=100&resource=invoice_lines');
  expect([status, body.message]).toEqual([422, expect.stringMatching(/longer than \d+ bytes/)]);
  const { body: answer } = await who.graphqlAnswer('{ auditLog(first: 100) { nodes { after } } }');
  expect(answer.errors[0].extensions.code).toBe('ANSWER_TOO_LARGE');
});
