import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../src/identity/index.ts';
import { deleteExpiredResponses } from '../../src/security/idempotency/stored-responses.ts';
import { asIntegrator, startService, type Answer, type Integrator, type Service } from '../harness.ts';
import { enter, signedIn, type Browser } from '../identity/browser.ts';
import { answers, head, json, last, sendRaw } from '../rest/raw.ts';
import * as sample from '../rest/samples.ts';
import { refusal } from '../rest/samples.ts';

// CONTRACT.md#idempotency: Idempotency-Key on any POST, kept 24 hours, scoped by tenant, method and path.

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
});
afterAll(() => service.close());

let keys = 0;
const newKey = (): string => `key ${(keys += 1)}`;
const send = (key: string, body: unknown = sample.customer, path = '/customers', who = acme): Promise<Answer> =>
  who.rest('POST', path, body, { 'idempotency-key': key });

const contentOf = ({ status, headers, text }: Answer) => ({
  status,
  text,
  type: headers.get('content-type'),
  location: headers.get('location'),
  requestId: headers.get('x-request-id'),
});

/** Expects that the same request gets the stored answer, byte for byte, marked as replayed. */
async function replays(first: Answer, again: () => Promise<Answer>): Promise<void> {
  expect(first.headers.get('idempotent-replayed')).toBeNull();
  const before = await sample.rows(service);
  const second = await again();
  expect(contentOf(second)).toEqual(contentOf(first));
  expect(second.headers.get('idempotent-replayed')).toBe('true');
  expect(await sample.rows(service)).toEqual(before);
}

async function runsAgain(first: Answer, again: () => Promise<Answer>): Promise<Answer> {
  const second = await again();
  expect(second.headers.get('idempotent-replayed')).toBeNull();
  expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  return second;
}

describe('REST', () => {
  it('answers the same key and body with the stored answer, and writes nothing', async () => {
    const key = newKey();
    const first = await send(key);
    expect(first.status).toBe(201);
    await replays(first, () => send(key));
    await replays(first, () => send(key));
  });

  it('answers 422 to the same key with another body', async () => {
    const key = newKey();
    const first = await send(key);
    const before = await sample.rows(service);
    for (const body of [sample.supplier, `${JSON.stringify(sample.customer)} `]) {
      expect(refusal(await send(key, body), 422)).toEqual({ 'Idempotency-Key': ['Was used with another body.'] });
    }
    expect(await sample.rows(service)).toEqual(before);
    await replays(first, () => send(key));
  });

  it('names the field of a failed foreign key, as without an Idempotency-Key', async () => {
    const before = await sample.rows(service);
    const first = await send(newKey(), sample.invoice(sample.unknownId), '/invoices');
    expect(refusal(first, 422)).toEqual({ customer_id: ['There is no such customer.'] });
    expect(await sample.rows(service)).toEqual(before);
  });

  it('runs a request with another key, path, or tenant', async () => {
    const key = newKey();
    const globex = await service.integrator();
    const first = await send(key, sample.project, '/projects');
    expect((await runsAgain(first, () => send(newKey(), sample.project, '/projects'))).status).toBe(201);
    expect((await runsAgain(first, () => send(key, sample.project, '/customers'))).status).toBe(422);
    expect((await runsAgain(first, () => send(key, sample.project, '/projects', globex))).status).toBe(201);
    await replays(first, () => send(key, sample.project, '/projects'));
  });

  it('has one path for a resource, however it is written', async () => {
    const key = newKey();
    const first = await send(key, sample.customer, '/customers/');
    await replays(first, () => send(key, sample.customer, '/customers'));
    await replays(first, () => send(key, sample.customer, '/customers//'));
    const { id } = (await sample.create(acme, '/invoices', sample.invoice(first.body.data.id))) as { id: string };
    const issue = newKey();
    const issued = await send(issue, {}, `/invoices/${id}/issue`);
    expect(issued.status).toBe(200);
    await replays(issued, () => send(issue, {}, `/invoices/${id.toUpperCase()}/issue/`));
  });

  it('replays to another token of the tenant if it has the ability that the first request needed', async () => {
    const key = newKey();
    const first = await send(key);
    const withToken = async (abilities: string[]): Promise<Integrator> => {
      const { id, token } = await createToken(service.client, { tenantId: acme.tenantId, abilities });
      return asIntegrator(service, { ...acme, token, tokenId: id });
    };
    const [writer, reader] = [await withToken(['customers:write']), await withToken(['read'])];
    await replays(first, () => send(key, sample.customer, '/customers', writer));
    refusal(await send(key, sample.customer, '/customers', reader), 403);
  });

  it('replays only to the same token where the answer depends on the caller or needs no ability', async () => {
    const { id, token } = await createToken(service.client, { tenantId: acme.tenantId });
    const another = asIntegrator(service, { ...acme, token, tokenId: id });
    await sample.create(acme, '/customers', sample.customer);
    const ask = (who: Integrator, key: string, query: string): Promise<Answer> =>
      service.request('POST', '/graphql', {
        body: { query },
        headers: { authorization: `Bearer ${who.token}`, 'idempotency-key': key },
      });
    const others = [
      '{ me { token { id name } } }',
      '{ customers { totalCount } me { token { id } } }',
      '{ __typename }',
    ];
    for (const query of others) {
      const key = newKey();
      const first = await ask(acme, key, query);
      expect(first.body.errors).toBeUndefined();
      const refused = await ask(another, key, query);
      expect(refused.text).not.toContain(acme.tokenId);
      expect(refused.body.errors[0].extensions).toMatchObject({
        code: 'VALIDATION_FAILED',
        errors: { 'Idempotency-Key': ['Was used with another token.'] },
      });
      await replays(first, () => ask(acme, key, query));
    }
    const key = newKey();
    const first = await ask(acme, key, '{ customers { totalCount } }');
    await replays(first, () => ask(another, key, '{ customers { totalCount } }'));

    const reader = await createToken(service.client, {
      tenantId: acme.tenantId,
      abilities: ['webhooks:read', 'customers:read'],
    });
    const limited = asIntegrator(service, { ...acme, token: reader.token, tokenId: reader.id });
    const filtered = newKey();
    await ask(limited, filtered, '{ events { totalCount } }');
    expect((await ask(acme, filtered, '{ events { totalCount } }')).body.errors[0].extensions.code).toBe(
      'VALIDATION_FAILED',
    );
  });

  it.each(['PATCH', 'GET', 'DELETE'])('ignores the key of a %s', async (method) => {
    const { id } = await sample.create(acme, '/customers', sample.customer);
    for (const key of ['k', '', 'x'.repeat(300)]) {
      const body = method === 'PATCH' ? { city: `Ulm${key.length}` } : undefined;
      const answer = await acme.rest(method, `/customers/${id}`, body, { 'idempotency-key': key });
      expect(answer.headers.get('idempotent-replayed')).toBeNull();
      if (method === 'PATCH') expect(answer.body.data.city).toBe(`Ulm${key.length}`);
    }
  });

  it('answers 422 unless there is one key of 1 to 255 characters', async () => {
    const before = await sample.rows(service);
    for (const key of ['', '   ', 'x'.repeat(256)]) {
      expect(refusal(await send(key), 422)).toEqual({ 'Idempotency-Key': ['Must have 1 to 255 characters.'] });
    }
    const text = JSON.stringify(sample.customer);
    const twice = ['Idempotency-Key: a', 'Idempotency-Key: a', `Content-Length: ${text.length}`, json, last];
    expect(answers(await sendRaw(service, head(acme, 'POST /api/v1/customers', ...twice), text))).toEqual([
      { status: 422, body: expect.objectContaining({ errors: { 'Idempotency-Key': ['Must be sent once.'] } }) },
    ]);
    expect(await sample.rows(service)).toEqual(before);
    for (const key of ['x', 'x'.repeat(255), 'ä'.repeat(255), `"'\\%00/../`]) {
      const first = await send(key);
      expect(first.status).toBe(201);
      await replays(first, () => send(key));
    }
  });

  it('stores 404, 405, 415, and 422', async () => {
    const cases: [status: number, path: string, body: unknown, headers?: object][] = [
      [404, '/nowhere', sample.customer],
      [405, '/me', sample.customer],
      [415, '/customers', sample.customer, { 'content-type': 'text/plain' }],
      [422, '/customers', {}],
      [422, '/customers', 'no JSON'],
    ];
    for (const [status, path, body, headers] of cases) {
      const key = newKey();
      const again = () => acme.rest('POST', path, body, { 'idempotency-key': key, ...headers });
      const first = await again();
      refusal(first, status);
      await replays(first, again);
    }
  });

  it('replays a stored error, also when the request would succeed by now', async () => {
    const key = newKey();
    const [globex, id] = [await service.integrator(), sample.unknownId];
    const post = () => send(key, sample.timeEntry(id), '/time-entries', globex);
    const first = await post();
    refusal(first, 422);
    await globex.db.project.create({ data: { id, name: 'late', currency: 'EUR' } });
    await replays(first, post);
  });

  it('stores neither 401 nor 403', async () => {
    const [key, nobody] = [newKey(), { ...acme, token: 'kontor_unknown' }];
    refusal(await send(key, sample.customer, '/customers', asIntegrator(service, nobody)), 401);
    const { token } = await createToken(service.client, { tenantId: acme.tenantId, abilities: ['read'] });
    refusal(await send(key, sample.customer, '/customers', asIntegrator(service, { ...acme, token })), 403);
    const first = await send(key);
    expect(first.status).toBe(201);
    await replays(first, () => send(key));
  });

  it('stores no 500, and undoes its writes', async () => {
    const key = newKey();
    const before = await sample.rows(service);
    await service.pool.query('alter table events add constraint out_of_order check (false) not valid');
    refusal(await send(key), 500);
    await service.pool.query('alter table events drop constraint out_of_order');
    expect(await sample.rows(service)).toEqual(before);
    const first = await send(key);
    expect(first.status).toBe(201);
    await replays(first, () => send(key));
  });

  it('undoes the writes of a request if its answer can’t be stored', async () => {
    const key = newKey();
    const before = await sample.rows(service);
    await service.pool.query('alter table stored_responses add constraint out_of_order check (false) not valid');
    refusal(await send(key), 500);
    await service.pool.query('alter table stored_responses drop constraint out_of_order');
    expect(await sample.rows(service)).toEqual(before);
    expect((await send(key)).status).toBe(201);
  });

  it('answers 413 to a body that is too long without reading all of it, and stores nothing', async () => {
    const key = newKey();
    refusal(await send(key, 'x'.repeat(1024 * 1024 + 1)), 413);
    expect((await send(key)).status).toBe(201);
  });

  it('keeps answers for 24 hours', async () => {
    const key = newKey();
    const start = new Date();
    const after = (ms: number): void => void (service.clock.now = new Date(start.getTime() + ms));
    const day = 24 * 60 * 60 * 1000;
    after(0);
    await send(newKey());
    const first = await send(key);
    after(day - 1);
    await deleteExpiredResponses(acme.db, new Date(start.getTime() + day - 1), 100);
    await replays(first, () => send(key));
    after(day);
    const second = await runsAgain(first, () => send(key));
    expect(second.status).toBe(201);
    await replays(second, () => send(key));

    const kept = () => acme.db.storedResponse.count();
    const count = await kept();
    await deleteExpiredResponses(acme.db, new Date(start.getTime() + day), 100);
    expect(await kept()).toBeLessThan(count);
    await replays(second, () => send(key));
    await deleteExpiredResponses(acme.db, new Date(start.getTime() + 2 * day), 100);
    expect(await kept()).toBe(0);
    service.clock.now = undefined;
  });
});

const createCustomer =
  'mutation ($name: String!) { createCustomer(input: { type: CUSTOMER, companyName: $name }) { id } }';

describe('GraphQL', () => {
  const post = (key: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
    const authorization = `Bearer ${acme.token}`;
    return service.request('POST', '/graphql', {
      body,
      headers: { authorization, 'idempotency-key': key, ...headers },
    });
  };

  it('answers the same key and body with the stored answer, and writes nothing', async () => {
    const [key, body] = [newKey(), { query: createCustomer, variables: { name: 'Once' } }];
    const first = await post(key, body);
    expect(first.body.data.createCustomer.id).toEqual(sample.anId);
    await replays(first, () => post(key, body));
    expect(await acme.db.customer.count({ where: { companyName: 'Once' } })).toBe(1);
  });

  it('answers 422 to another body, and to a key that is empty or too long', async () => {
    const key = newKey();
    await post(key, { query: createCustomer, variables: { name: 'One' } });
    for (const [with_, text] of [
      [key, 'Was used with another body.'],
      ['', 'Must have 1 to 255 characters.'],
    ] as const) {
      const answer = await post(with_, { query: createCustomer, variables: { name: 'Two' } });
      expect(answer.status).toBe(422);
      expect(answer.body).toEqual({
        errors: [
          {
            message: expect.stringContaining(text),
            extensions: {
              code: 'VALIDATION_FAILED',
              errors: { 'Idempotency-Key': [text] },
              details: [expect.objectContaining({ field: 'Idempotency-Key', message: text })],
              requestId: answer.headers.get('x-request-id'),
            },
          },
        ],
      });
    }
    expect(await acme.db.customer.count({ where: { companyName: 'Two' } })).toBe(0);
  });

  it('stores a rejected mutation, and runs all mutations of a document or none', async () => {
    const key = newKey();
    const two = `mutation {
      one: createCustomer(input: { type: CUSTOMER, companyName: "First of two" }) { id }
      two: deleteCustomer(id: "${sample.unknownId}") { id }
    }`;
    const first = await post(key, { query: two });
    expect(first.body.errors[0].extensions.code).toBe('NOT_FOUND');
    await replays(first, () => post(key, { query: two }));
    expect(await acme.db.customer.count({ where: { companyName: 'First of two' } })).toBe(0);
  });

  it('stores neither internal errors nor missing abilities', async () => {
    const [key, body] = [newKey(), { query: createCustomer, variables: { name: 'Later' } }];
    await service.pool.query('alter table events add constraint out_of_order check (false) not valid');
    const fault = await post(key, body);
    await service.pool.query('alter table events drop constraint out_of_order');
    expect(fault.body.errors[0].extensions.code).toBe('INTERNAL_SERVER_ERROR');
    const { token } = await createToken(service.client, { tenantId: acme.tenantId, abilities: ['read'] });
    const refused = await post(key, body, { authorization: `Bearer ${token}` });
    expect(refused.body.errors[0].extensions.code).toBe('FORBIDDEN');
    const first = await post(key, body);
    expect(first.body.data.createCustomer.id).toEqual(sample.anId);
    await replays(first, () => post(key, body));
  });

  it('stores no look-up that lacks the ability, though it has data: null for the look-up', async () => {
    const [key, body] = [newKey(), { query: `{ customer(id: "${sample.unknownId}") { id } }` }];
    const { token } = await createToken(service.client, { tenantId: acme.tenantId, abilities: ['company:read'] });
    const refused = await post(key, body, { authorization: `Bearer ${token}` });
    expect(refused.body).toMatchObject({ data: { customer: null }, errors: [{ extensions: { code: 'FORBIDDEN' } }] });
    const first = await runsAgain(refused, () => post(key, body));
    expect(first.body.errors[0].extensions.code).toBe('NOT_FOUND');
    await replays(first, () => post(key, body));
  });

  it('replays the errors of an invalid document and of an invalid JSON body', async () => {
    for (const body of [{ query: '{ me { ' }, { query: '{ nothing }' }, 'no JSON', [{ query: '{ me }' }]]) {
      const key = newKey();
      const first = await post(key, body);
      expect(first.body.errors.length).toBeGreaterThan(0);
      await replays(first, () => post(key, body));
    }
  });

  it('answers a client that accepts streams with one JSON body', async () => {
    const [key, body] = [newKey(), { query: createCustomer, variables: { name: 'Streamless' } }];
    const accept = 'application/graphql-response+json, application/json, text/event-stream, multipart/mixed';
    const first = await post(key, body, { accept });
    expect(first.headers.get('content-type')).toMatch(/^application\/graphql-response\+json/);
    await replays(first, () => post(key, body, { accept }));
  });

  it('stores secrets of answers encrypted', async () => {
    const key = newKey();
    const query =
      'mutation { createWebhook(input: { url: "http://127.0.0.1:1/", events: ["*"] }) { secret webhook { id } } }';
    const first = await post(key, { query });
    const { secret } = first.body.data.createWebhook;
    expect(secret).toMatch(/^whsec_/);
    await replays(first, () => post(key, { query }));
    const rows = await acme.db.storedResponse.findMany();
    expect(rows.length).toBeGreaterThan(0);
    const text = JSON.stringify(
      rows.map((row) => Object.values(row).map((part) => Buffer.from(part as never).toString('latin1'))),
    );
    expect(text).not.toContain(secret.slice(6));
    expect(text).not.toContain('createWebhook');
  });

  it('replays a session’s answer only to the same user: to no other user, and to no token', async () => {
    const [ada, key] = [await signedIn(service, acme.tenantId), newKey()];
    const body = { query: 'mutation { createApiToken(input: { name: "mine" }) { value } }' };
    const ask = (browser: Browser) => browser.request('POST', '/graphql', body, { 'idempotency-key': key });
    const first = await ask(ada.browser);
    const { value } = first.body.data.createApiToken;
    await replays(first, () => ask(ada.browser));
    await replays(first, async () => ask(await enter(service, ada)));
    for (const answer of [await ask((await signedIn(service, acme.tenantId)).browser), await post(key, body)]) {
      expect(answer.status).toBe(422);
      expect(answer.text).not.toContain(value);
    }
  });

  it('imports the same upload once and replays its answer, whatever its boundary, and rejects another upload', async () => {
    const [key, query] = [
      newKey(),
      'mutation ($file: Upload!) { importBankStatement(file: $file, csv: { dateFormat: "YYYY-MM-DD", decimalSeparator: ".", columns: { bookingDate: "date", amount: "amount" }, accountIban: "DE02120300000000202051", currency: "EUR" }) { imported skipped } }',
    ];
    const form = (amount: string, boundary = 'kontor-boundary'): string =>
      [
        ['operations', JSON.stringify({ query, variables: { file: null } })],
        ['map', '{"file": ["variables.file"]}'],
        ['file"; filename="a.csv', `date,amount\n2026-03-01,${amount}\n`],
      ]
        .map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
        .join('') + `--${boundary}--\r\n`;
    const withBoundary = (boundary: string) => ({ 'content-type': `multipart/form-data; boundary=${boundary}` });
    const type = withBoundary('kontor-boundary');
    const first = await post(key, form('12.50'), type);
    expect(first.body).toEqual({ data: { importBankStatement: { imported: 1, skipped: 0 } } });
    const again = await post(key, form('12.50'), type);
    expect(contentOf(again)).toEqual(contentOf(first));
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    await replays(first, () => post(key, form('12.50', 'another'), withBoundary('another')));
    expect((await post(key, form('13.50'), type)).status).toBe(422);
    expect((await post(newKey(), form('12.50'), type)).body.data.importBankStatement).toEqual({
      imported: 0,
      skipped: 1,
    });
  });
});
