import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { forTenant } from '../../prisma/client.ts';
import { createToken, removeUser } from '../../src/identity/index.ts';
import { mintToken } from '../../src/identity/token.ts';
import { attach, makePdf, sending } from '../attachments/files.ts';
import { makeCompany, makeCustomer, makeInvoice, makeReceipt } from '../graphql/books.ts';
import { asIntegrator, startService, type Integrator, type Service } from '../harness.ts';
import { fill } from '../isolation/books.ts';
import { makeWrittenExport } from '../resources.ts';
import { startTestTenant } from './make.ts';

// DECISIONS.md#d160-test-tenants

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  acme = await service.integrator({ name: 'Acme', timezone: 'Europe/Berlin', currency: 'CHF' });
});

const make = (who = acme, name = 'Acme (test)') => who.rest('POST', '/test-tenants', { name });

/** A test tenant of Acme's, as its token sees it. */
async function makeTest(who = acme): Promise<Integrator> {
  const { body } = await make(who);
  const { id: tenantId, token } = body.data;
  const { id: tokenId } = await service.client.apiToken.findFirstOrThrow({ where: { tenantId } });
  return asIntegrator(service, { tenantId, userId: who.userId, token, tokenId });
}

/** The number of the tenant's rows in each table that has a tenant's id, without those that have none. */
async function countRows(tenantId: string): Promise<Record<string, number>> {
  const { rows: tables } = await service.pool.query<{ name: string }>(
    `select table_name as name from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = current_schema() and column_name = 'tenant_id' and table_type = 'BASE TABLE' order by 1`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const { rows } = await service.pool.query(`select count(*)::int as rows from ${name} where tenant_id = $1`, [
      tenantId,
    ]);
    if (rows[0].rows > 0) counts[name] = rows[0].rows;
  }
  return counts;
}

const jobsOf = async (tenantId: string): Promise<string[]> =>
  (
    await service.pool.query<{ task: string }>(
      `select task_identifier as task from graphile_worker.jobs where flags ? $1`,
      [tenantId],
    )
  ).rows.map(({ task }) => task);

const limitReached = { status: 422, body: { details: [expect.objectContaining({ code: 'limit_reached' })] } };

describe('a test tenant', () => {
  it('is made with the settings and the company profile of its tenant, and a token that says what it is', async () => {
    await makeCompany(acme, { legalName: 'Acme AG', city: 'Bern' });
    const { status, headers, body } = await make();
    const { id, token } = body.data;
    expect([status, headers.get('location')]).toEqual([201, `${service.url}/api/v1/test-tenants/${id}`]);
    expect(body).toEqual({
      data: { id: expect.any(String), name: 'Acme (test)', created_at: expect.any(String), token: expect.any(String) },
    });
    expect(token).toMatch(/^kontor_test_[0-9A-Za-z]{46}$/);
    const me = await asIntegrator(service, { ...acme, tenantId: id, token }).rest('GET', '/me');
    expect(me.body.data.tenant).toEqual({
      id,
      name: 'Acme (test)',
      country: 'DE',
      default_currency: 'CHF',
      timezone: 'Europe/Berlin',
      test: true,
    });
    const company = await asIntegrator(service, { ...acme, tenantId: id, token }).graphql(
      '{ company { legalName city } }',
    );
    expect(company).toEqual({ company: { legalName: 'Acme AG', city: 'Bern' } });
    const { token: _token, ...shown } = body.data;
    expect((await acme.rest('GET', '/test-tenants')).body.data).toEqual({ items: [shown] });
    expect((await acme.rest('GET', `/test-tenants/${id}`)).body.data).toEqual(shown);
  });

  it('is for who has the ability, and has the company profile only if they may read it', async () => {
    await makeCompany(acme);
    const withAbilities = async (...abilities: string[]): Promise<Integrator> => {
      const { token, id: tokenId } = await createToken(service.client, { tenantId: acme.tenantId, abilities });
      return asIntegrator(service, { ...acme, token, tokenId });
    };
    expect((await make(await withAbilities('test-tenants:read', 'company:write'))).status).toBe(403);
    for (const [abilities, companies] of [
      [['test-tenants:write'], 0],
      [['test-tenants:write', 'company:read'], 1],
    ] as const) {
      const { status, body } = await make(await withAbilities(...abilities));
      expect([status, await forTenant(service.books, body.data.id).company.count()]).toEqual([201, companies]);
    }
  });

  it('is one of at most 5 of a tenant, also if 8 are made at once, and has none itself', async () => {
    const other = await service.integrator();
    const answers = await Promise.all(Array.from({ length: 8 }, () => make()));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 201, 201, 422, 422, 422]);
    expect(answers.find(({ status }) => status === 422)).toMatchObject({
      body: {
        details: [
          {
            code: 'limit_reached',
            message: 'A tenant can have 5 test tenants: delete one that is no longer in use.',
            params: { max: 5 },
          },
        ],
      },
    });
    expect((await make(other)).status).toBe(201);
    const { id, token } = answers.find(({ status }) => status === 201)!.body.data;
    expect((await make(asIntegrator(service, { ...acme, tenantId: id, token }))).status).toBe(422);
    expect((await acme.rest('DELETE', `/test-tenants/${id}`)).status).toBe(204);
    expect((await make()).status).toBe(201);
  });

  it('is emptied one at a time, so that not all connections wait for it, and others are answered', async () => {
    const owner = await service.integrator();
    const made = [await make(owner), await make(owner), await make(owner)].map(({ body }) => body.data.id as string);
    const reset = (id: string) => owner.rest('POST', `/test-tenants/${id}/reset`);
    const [answers, unknown, innocent] = await Promise.all([
      Promise.all(made.map(reset)),
      Promise.all(made.map(() => reset(randomUUID()))),
      acme.rest('GET', '/me'),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 429, 429]);
    expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).toBe('5');
    expect(unknown.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(innocent.status).toBe(200);
    expect((await reset(made[0]!)).status).toBe(200);
  });

  it('is emptied one at a time also where each asks for itself, and those of others are beside them', async () => {
    const [owner, other] = [await service.integrator(), await service.integrator()];
    const own = [await startTestTenant(service, owner), await startTestTenant(service, owner)];
    const theirs = await startTestTenant(service, other);
    const reset = (who: Integrator) => who.rest('POST', `/test-tenants/${who.tenantId}/reset`);
    const isWaiting = async (): Promise<boolean> =>
      (
        await service.pool.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
      ).rows.length > 0;
    const holding = await service.pool.connect();
    try {
      await holding.query('begin');
      await holding.query('select from tenants where id = $1 for update', [own[0]?.tenantId]);
      const first = reset(own[0]!);
      await expect.poll(isWaiting).toBe(true);
      expect([(await reset(own[1]!)).status, (await reset(theirs)).status]).toEqual([429, 200]);
      await holding.query('rollback');
      expect((await first).status).toBe(200);
    } finally {
      holding.release(true);
    }
  });

  it('takes 10,000 documents and what they are about', async () => {
    const test = await makeTest();
    const customer = await makeCustomer(test);
    const counted = { tenant_id: test.tenantId, resource: 'time_entries', state: '', rows: 9_998 };
    await service.pool.query(
      'insert into row_counts (tenant_id, resource, state, rows) values ($1, $2, $3, $4)',
      Object.values(counted),
    );
    const add = () => test.rest('POST', '/customers', { company_name: 'More', country: 'DE', type: 'customer' });
    expect((await add()).status).toBe(201);
    expect(await add()).toMatchObject(limitReached);
    expect((await add()).body.message).toContain('Reset it, or delete some');
    expect((await test.rest('PATCH', `/customers/${customer}`, { city: 'Bern' })).status).toBe(200);
    expect((await test.rest('DELETE', `/customers/${customer}`)).status).toBe(204);
    expect((await add()).status).toBe(201);
    expect(
      (await acme.rest('POST', '/customers', { company_name: 'More', country: 'DE', type: 'customer' })).status,
    ).toBe(201);
  });

  it('takes 100 MiB of files', async () => {
    const test = await makeTest();
    const [send, receiptId, pdf] = [sending(service, test), await makeReceipt(test), makePdf()];
    const length = 100 * 2 ** 20 - pdf.length;
    await test.db.insert({
      UnusedFile: [test.db.row('UnusedFile', { key: `${test.tenantId}/attachments/x`, length })],
    });
    expect((await attach(send, receiptId, pdf)).status).toBe(201);
    const refused = await attach(send, receiptId, pdf);
    expect(refused).toMatchObject(limitReached);
    expect(refused.body.message).toContain('100 MiB');
    expect((await attach(sending(service, acme), await makeReceipt(acme), pdf)).status).toBe(201);
  });
});

describe('a token', () => {
  it('of a test tenant says so in GraphQL and on the command line, too; others keep their form', async () => {
    const test = await makeTest();
    const made = await createToken(service.client, { tenantId: test.tenantId });
    expect(made.token).toMatch(/^kontor_test_/);
    expect(acme.token).toMatch(/^kontor_[0-9A-Za-z]{46}$/);
  });

  it('never reaches a tenant of the other kind, whatever the rows say', async () => {
    const test = await makeTest();
    for (const [tenantId, isTest] of [
      [acme.tenantId, true],
      [test.tenantId, false],
    ] as const) {
      const { value, hash, lastFour } = mintToken(isTest);
      await service.client.apiToken.create({
        data: { tenantId, userId: acme.userId, name: 'Forged', abilities: ['*'], hash, lastFour },
      });
      const { status } = await service.request('GET', '/api/v1/me', { headers: { authorization: `Bearer ${value}` } });
      expect(status).toBe(401);
    }
    for (const forged of [test.token.replace('test_', ''), acme.token.replace('kontor_', 'kontor_test_')])
      expect(
        (await service.request('GET', '/api/v1/me', { headers: { authorization: `Bearer ${forged}` } })).status,
      ).toBe(401);
  });

  it('of a test tenant reads and changes nothing of its tenant, nor the other way round', async () => {
    const test = await makeTest();
    const [ours, theirs] = [await makeCustomer(acme), await makeCustomer(test)];
    expect((await test.rest('GET', `/customers/${ours}`)).status).toBe(404);
    expect((await acme.rest('GET', `/customers/${theirs}`)).status).toBe(404);
  });
});

describe('a document of a test tenant', () => {
  const textOf = async (who: Integrator, language: string): Promise<string> => {
    await makeCompany(who, { language, country: 'DE', vatId: 'DE136695976', city: 'Kiel' });
    const customerId = await makeCustomer(who, { country: 'DE', city: 'Kiel', language });
    const id = await makeInvoice(who, { customerId, status: 'ISSUED' });
    const { status, text } = await who.rest('GET', `/invoices/${id}/xml?format=factur-x`);
    expect([status, text.slice(0, 5)]).toEqual([200, '<?xml']);
    return text;
  };

  it('says so in its e-invoice, in its language, and others do not', async () => {
    expect(await textOf(await makeTest(), 'de')).toContain('Muster aus einer Testumgebung: keine Rechnung.');
    expect(await textOf(await makeTest(), 'en')).toContain('Made in a test environment: no invoice.');
    expect(await textOf(acme, 'en')).not.toContain('test environment');
  });
});

describe('an event of a test tenant', () => {
  it('says so, and others do not', async () => {
    const test = await makeTest();
    for (const who of [acme, test]) {
      await makeCustomer(who);
      const { body } = await who.rest('GET', '/events');
      const [event] = body.data;
      expect(event).toMatchObject({ event: 'customer.created', tenant_id: who.tenantId });
      expect(event.test).toBe(who === test ? true : undefined);
    }
  });
});

describe('a reset and a deletion', () => {
  it('take all rows of all tables with a tenant, jobs, and files, at once, and touch no other tenant', async () => {
    await makeCompany(acme);
    const [test, beside] = [await makeTest(), await makeTest()];
    for (const who of [test, beside, acme]) {
      await who.db.company.deleteMany();
      await fill(who);
      await service.client.trustedDocument.create({
        data: { tenantId: who.tenantId, hash: randomUUID(), text: '{ me }' },
      });
      await makeWrittenExport(service, who);
      await who.db.periodLock.updateMany({ data: { kind: 'FINAL' } });
    }
    const keys = [
      ...(await test.db.attachment.findMany()).map(({ id }) => `${test.tenantId}/attachments/${id}`),
      ...(await test.db.export.findMany()).map(({ id }) => `${test.tenantId}/exports/${id}`),
    ];
    for (const key of keys) await service.fileStorage.write(key, Readable.from([Buffer.from('x')]), 1);
    const others = [await countRows(acme.tenantId), await countRows(beside.tenantId)];
    expect(Object.keys(others[1]!).length).toBeGreaterThan(40);
    expect(await jobsOf(test.tenantId)).not.toEqual([]);

    expect((await test.rest('POST', `/test-tenants/${test.tenantId}/reset`)).status).toBe(200);
    expect(await countRows(test.tenantId)).toEqual({
      api_tokens: 1,
      companies: 1,
      company_logos: 1,
      memberships: 1,
      trusted_documents: 1,
    });
    expect(await jobsOf(test.tenantId)).toEqual([]);
    for (const key of keys) expect(await service.fileStorage.read(key)).toBeUndefined();

    await test.db.company.deleteMany();
    await test.db.companyLogo.deleteMany();
    await fill(test);
    expect((await acme.rest('DELETE', `/test-tenants/${test.tenantId}`)).status).toBe(204);
    expect(await countRows(test.tenantId)).toEqual({});
    expect(await jobsOf(test.tenantId)).toEqual([]);
    expect(await service.client.tenant.findUnique({ where: { id: test.tenantId } })).toBeNull();
    expect((await test.rest('GET', '/me')).status).toBe(401);

    expect([await countRows(acme.tenantId), await countRows(beside.tenantId)]).toEqual(others);
  });

  it('end well while requests issue invoices', async () => {
    const test = await makeTest();
    const items = [{ title: 'Advice', quantity: 1, unit_price_net: 100, vat_rate: 19 }];
    const over = new AbortController();
    const issueOn = async (): Promise<void> => {
      while (!over.signal.aborted) {
        const customer = await test.rest('POST', '/customers', { type: 'customer', company_name: 'Globex' });
        const invoice = { customer_id: customer.body.data?.id, invoice_date: '2026-03-01', items };
        const { body } = await test.rest('POST', '/invoices', invoice);
        await test.rest('POST', `/invoices/${body.data?.id}/issue`);
      }
    };
    const requests = Array.from({ length: 6 }, issueOn);
    const statuses: number[] = [];
    for (let reset = 0; reset < 6; reset += 1) {
      await expect.poll(() => test.db.invoice.count(), { timeout: 10_000 }).toBeGreaterThan(2);
      statuses.push((await acme.rest('POST', `/test-tenants/${test.tenantId}/reset`)).status);
    }
    statuses.push((await acme.rest('DELETE', `/test-tenants/${test.tenantId}`)).status);
    over.abort();
    await Promise.all(requests);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 204]);
  });

  it('are refused for what is no test tenant of this tenant', async () => {
    const stranger = await service.integrator();
    const [test, theirs] = [await makeTest(), await makeTest(stranger)];
    const before = [
      await countRows(acme.tenantId),
      await countRows(stranger.tenantId),
      await countRows(theirs.tenantId),
    ];
    const answers = [];
    for (const [who, id] of [
      [acme, acme.tenantId],
      [acme, stranger.tenantId],
      [acme, theirs.tenantId],
      [test, acme.tenantId],
      [test, stranger.tenantId],
      [test, theirs.tenantId],
      [acme, randomUUID()],
    ] as const) {
      answers.push((await who.rest('DELETE', `/test-tenants/${id}`)).status);
      answers.push((await who.rest('POST', `/test-tenants/${id}/reset`)).status);
    }
    answers.push((await test.rest('DELETE', `/test-tenants/${test.tenantId}`)).status); // its tenant deletes it
    expect(new Set(answers)).toEqual(new Set([404]));
    expect([
      await countRows(acme.tenantId),
      await countRows(stranger.tenantId),
      await countRows(theirs.tenantId),
    ]).toEqual(before);
  });

  it('are for tokens with the ability only', async () => {
    const test = await makeTest();
    const { token, id: tokenId } = await createToken(service.client, {
      tenantId: acme.tenantId,
      abilities: ['read', 'customers:write'],
    });
    const who = asIntegrator(service, { ...acme, token, tokenId });
    expect((await who.rest('DELETE', `/test-tenants/${test.tenantId}`)).status).toBe(403);
    expect((await who.rest('POST', `/test-tenants/${test.tenantId}/reset`)).status).toBe(403);
  });
});

it('a member who leaves a tenant leaves its test tenants', async () => {
  const test = await makeTest();
  const { email } = await service.client.user.findUniqueOrThrow({ where: { id: acme.userId } });
  await removeUser(service.client, { email, tenantId: acme.tenantId });
  expect((await test.rest('GET', '/me')).status).toBe(403);
});
