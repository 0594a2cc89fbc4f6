import { execFileSync } from 'node:child_process';
import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBrowser, password, makeUser } from '../identity/browser.ts';
import type { Answer } from '../harness.ts';
import { startReceiver, until, type Receiver } from '../webhooks/receiver.ts';
import { cli, kontorSecret, say, serve, type Served } from './served.ts';

// Uses all features with a secret, with the most detailed log. Then searches for every secret in every place that must not
// have it: tables, the log, errors, output of the command line, and metrics.

const metricsToken = 'what-opens-the-metrics';
let served: Served;
let receiver: Receiver;
/** Secrets by their description. */
const secrets = new Map<string, string>();
/** Texts that must contain no secret, by their source. */
const outputs = new Map<string, string[]>();

beforeAll(async () => {
  let failing = 3;
  receiver = await startReceiver((response) => response.writeHead(failing-- > 0 ? 500 : 200).end('thanks'));
  served = await serve('start', {
    LOG_LEVEL: 'trace',
    WEBHOOK_ALLOW_INSECURE: '1',
    WEBHOOK_RETRY_DELAYS: '0.1,0.1,0.1',
    TRUSTED_PROXIES: '1',
    METRICS_TOKEN: metricsToken,
  });
});
afterAll(async () => {
  await served.close();
  await receiver.close();
});

/** Records a secret to search for. */
function recordSecret(what: string, secret: string): string {
  secrets.set(what, secret);
  return secret;
}

/** Records an answer's headers, and its body unless it shows a secret by design. */
function recordAnswer(what: string, answer: Answer, { shows = false } = {}): Answer {
  const lines = outputs.get(what) ?? [];
  outputs.set(what, lines);
  lines.push(...[...answer.headers].filter(([name]) => name !== 'set-cookie').map((pair) => pair.join(': ')));
  if (!shows) lines.push(answer.text);
  return answer;
}

/** The encodings of a secret: plain, hexadecimal, base64 at any offset, in a URL, and decoded. */
function encodingsOf(secret: string): string[] {
  const bytes = [Buffer.from(secret)];
  const [, encoded] = /^(?:whsec_)?([A-Za-z0-9+/_-]{43}=?)$/.exec(secret) ?? [];
  if (encoded) bytes.push(Buffer.from(encoded, 'base64'));
  const ofBytes = bytes.flatMap((each) => [
    each.toString('latin1'),
    each.toString('hex'),
    ...[0, 1, 2].flatMap((shift) => {
      // The characters at the ends are removed, as they have bits of adjacent text.
      const shifted = Buffer.concat([Buffer.alloc(shift), each])
        .toString('base64')
        .replace(/=+$/, '');
      const inner = shifted.slice(shift === 0 ? 0 : shift + 1, each.length % 3 === 0 && shift === 0 ? undefined : -2);
      return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
    }),
  ]);
  return [...new Set([secret, encodeURIComponent(secret), ...ofBytes])];
}

/** Every row of every table as text, and its decoded bytes. */
async function dump(): Promise<string[]> {
  const { pool } = served.beside;
  const { rows: tables } = await pool.query<{ name: string }>(`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`);
  const lines: string[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<{ row: string }>(`select t::text as row from ${name} t`);
    for (const { row } of rows) {
      lines.push(row);
      for (const [, hex = ''] of row.matchAll(/\\\\x([0-9a-f]+)/g))
        lines.push(Buffer.from(hex, 'hex').toString('latin1'));
    }
  }
  return lines;
}

const list = (...args: string[]): string =>
  execFileSync(process.execPath, [cli, ...args, '--json'], { env: served.env, encoding: 'utf8' });

it('everything with a secret is created, used, misused, and ended', async () => {
  recordSecret('KONTOR_SECRET', kontorSecret);
  for (const vault of ['webhook secrets', 'stored answers']) {
    const key = Buffer.from(hkdfSync('sha256', kontorSecret, '', `kontor ${vault}`, 32));
    recordSecret(`the key of ${vault}`, key.toString('hex'));
  }
  const { acme, beside } = served;
  recordSecret('the integrator’s token', acme.token);
  const { email, tenantId } = await makeUser(beside);
  recordSecret('a password', password);

  const ada = openBrowser(served);
  recordAnswer('sign-in', await ada.signIn(email, recordSecret('a wrong password', 'wrong horse battery staple')));
  recordAnswer(
    'sign-in',
    await ada.signIn(recordSecret('text in place of an e-mail address', 'my password is rosebud 77'), 'x'),
  );
  recordAnswer(
    'sign-in',
    await ada.request('POST', '/api/auth/sign-in/email', '{"email": "x", "password": "half a pass'),
  );
  recordSecret('half a password', 'half a pass');
  recordAnswer('sign-in', await ada.signIn(email));
  recordSecret('a session', ada.cookie!.split('=')[1]!);
  const forged = { 'sec-fetch-site': 'cross-site' };
  recordAnswer('a forged request', await ada.request('POST', '/graphql', { query: '{ me { user { id } } }' }, forged));

  const mutate = async (what: string, query: string, variables: object = {}, headers = {}, shows = true) => {
    const answer = await ada.request('POST', '/graphql', { query, variables }, headers);
    return recordAnswer(what, answer, { shows: shows && answer.body.data !== null }).body.data;
  };
  const key = { 'idempotency-key': 'once' };
  const make = 'mutation { made: createApiToken(input: { name: "x" }) { value apiToken { id } } }';
  const { made } = await mutate('a new token', make, {}, key);
  recordSecret('a token', made.value);
  expect((await mutate('a new token', make, {}, key)).made.value, 'the stored answer shows it').toBe(made.value);
  const asToken = { authorization: `Bearer ${made.value}` };
  recordAnswer('REST', await served.request('GET', '/api/v1/me', { headers: asToken }));
  recordAnswer('REST', await served.request('GET', `/api/v1/me?token=${made.value}`, { headers: asToken }));
  recordAnswer('REST', await served.request('POST', '/api/v1/customers', { headers: asToken, body: { nonsense: 1 } }));
  const mistyped = recordSecret(
    'a mistyped token',
    `${made.value.slice(0, -1)}${made.value.endsWith('x') ? 'y' : 'x'}`,
  );
  recordAnswer('REST', await served.request('GET', '/api/v1/me', { headers: { authorization: `Bearer ${mistyped}` } }));
  recordAnswer('REST', await served.request('GET', '/api/v1/me', { headers: { authorization: made.value } }));
  await mutate('revoking', 'mutation ($id: UUID!) { revokeApiToken(id: $id) { id } }', { id: made.apiToken.id });
  recordAnswer('REST', await served.request('GET', '/api/v1/me', { headers: asToken }));

  const invite = 'mutation { invited: inviteMember(email: "bob@example.com") { link } }';
  const link = (await mutate('an invitation', invite)).invited.link.split('/').at(-1);
  recordSecret('an invitation', link);
  recordAnswer('its page', await served.request('GET', `/invitation/${link}`));
  const bob = openBrowser(served);
  recordAnswer('an invitation', await bob.request('POST', '/api/auth/invitation', { token: link }));
  const accept = { token: link, name: 'Bob', password: 'short' };
  recordAnswer('an invitation', await bob.request('POST', '/api/auth/invitation/accept', accept));
  const entry = { ...accept, password: recordSecret('another password', 'violet umbrella under seven bridges') };
  recordAnswer('an invitation', await bob.request('POST', '/api/auth/invitation/accept', entry));
  recordAnswer('an invitation', await bob.request('POST', '/api/auth/invitation/accept', entry));
  recordAnswer('sign-in', await bob.signIn('bob@example.com', entry.password));
  recordSecret('another session', bob.cookie!.split('=')[1]!);

  const url = `${receiver.url}/hook`;
  const hook = 'mutation ($url: String!) { made: createWebhook(input: { url: $url }) { secret webhook { id } } }';
  const first = (await mutate('a webhook', hook, { url }, { 'idempotency-key': 'hook' })).made;
  recordSecret('a webhook’s secret', first.secret);
  const mutateHook = async (what: string, query: string, shows = false) =>
    mutate(what, query, { id: first.webhook.id }, {}, shows);
  await mutateHook('a ping', 'mutation ($id: UUID!) { pingWebhook(id: $id) { id } }');
  await mutate(
    'a customer',
    'mutation { createCustomer(input: { type: CUSTOMER, companyName: "x" }) { id } }',
    {},
    {},
    false,
  );
  const delivered = async (count: number): Promise<boolean> =>
    Number((await beside.pool.query(`select count(*) from deliveries where state = 'delivered'`)).rows[0].count) >=
    count;
  await until(() => delivered(2), 'the deliveries, after some failures');
  const rotated = (
    await mutateHook('a rotation', 'mutation ($id: UUID!) { rotateWebhookSecret(id: $id) { secret } }', true)
  ).rotateWebhookSecret.secret;
  recordSecret('a rotated secret', rotated);
  await mutateHook('a ping', 'mutation ($id: UUID!) { pingWebhook(id: $id) { id } }');
  await until(() => delivered(3), 'a delivery signed with both secrets');
  const { headers, body } = receiver.requests.at(-1)!;
  const signed = (secret: string): string => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  expect([signed(first.secret), signed(rotated)]).toContain(headers['x-service-signature']);
  await mutateHook(
    'the delivery log',
    `query ($id: UUID!) { deliveries(webhookId: $id) { nodes { id attempts { requestHeaders responseBody error } } } }`,
  );

  recordAnswer(
    'a client error',
    await ada.request('POST', '/graphql', { query: '{ nonsense }', variables: { token: made.value } }),
  );
  await beside.pool.query('alter table projects rename to gone');
  const asBob = { authorization: `Bearer ${acme.token}`, 'idempotency-key': 'fault' };
  const errors = [
    await served.request('POST', '/api/v1/projects', { headers: asBob, body: { name: 'x' } }),
    await ada.request('POST', '/graphql', { query: 'mutation { createProject(input: { name: "x" }) { id } }' }),
  ];
  await beside.pool.query('alter table gone rename to projects');
  expect(errors[0]!.status).toBe(500);
  for (const error of errors) recordAnswer('an internal error', error);

  const changed = {
    currentPassword: password,
    newPassword: recordSecret('a new password', 'a yellow submarine, painted blue'),
  };
  recordAnswer(
    'a new password',
    await ada.request('POST', '/api/auth/change-password', { ...changed, newPassword: 'short' }),
  );
  recordAnswer('a new password', await ada.request('POST', '/api/auth/change-password', changed));
  recordSecret('a new session', ada.cookie!.split('=')[1]!);
  recordAnswer('sign-out', await bob.request('POST', '/api/auth/sign-out'));

  recordSecret('the metrics’ token', metricsToken);
  const scraped = await served.request('GET', '/metrics', { headers: { authorization: `Bearer ${metricsToken}` } });
  expect(scraped.status).toBe(200);
  recordAnswer('/metrics', scraped);
  for (const path of [
    '/metrics',
    '/health/live',
    '/health/ready',
    '/schema.graphql',
    '/api/v1/openapi.json',
    '/.env',
  ]) {
    recordAnswer(path, await served.request('GET', path));
  }
  outputs.set('kontor token list', [list('token', 'list')]);
  outputs.set('kontor webhook list', [list('webhook', 'list', '--tenant', tenantId)]);
  outputs.set('the log', served.lines());
  outputs.set('the database', await dump());
});

it('no table, log, error, list, or metric contains a secret in any encoding', () => {
  const canary = randomBytes(32).toString('base64');
  const around = (bytes: Buffer): string =>
    Buffer.concat([Buffer.from('{"a'), bytes, Buffer.from('b"}')]).toString('base64');
  for (const written of [canary, around(Buffer.from(canary)), Buffer.from(canary).toString('hex')]) {
    expect(
      encodingsOf(canary).some((each) => written.includes(each)),
      'the search finds each encoding',
    ).toBe(true);
  }
  const found: string[] = [];
  let texts = 0;
  for (const [where, lines] of outputs) {
    texts += lines.length;
    const all = lines.join('\n');
    for (const [what, secret] of secrets) {
      if (encodingsOf(secret).some((each) => all.includes(each))) found.push(`${what}, in ${where}`);
    }
  }
  say(`${secrets.size} secrets looked for in ${texts} texts: ${found.length} found`);
  expect(found).toEqual([]);
  expect(secrets.size).toBeGreaterThan(15);
  for (const where of ['the log', 'the database']) expect(outputs.get(where)!.length).toBeGreaterThan(50);
});
