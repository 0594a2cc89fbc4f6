import { describe, expect, it } from 'vitest';
import { RequestAnnouncer } from '../../../src/server/http/request-announcer.ts';
import { createToken, setPassword } from '../../../src/identity/index.ts';
import { createRateLimiter, memoryStore } from '../../../src/security/rate-limit.ts';
import { startService } from '../../harness.ts';
import { openBrowser } from '../../identity/browser.ts';
import {
  acme,
  globex,
  databaseUrl,
  sendSubscription,
  service,
  serveSubscriptions,
  openStream,
  until,
  type Stream,
  type Visitor,
} from './subscriptions.ts';

serveSubscriptions();

interface Logged {
  requestId: string;
  method: string;
  path: string;
  status: number;
  durationMs: number;
  isAborted: boolean;
  startedAt: string;
  leftOut: number;
}

const fields = 'requestId method path status durationMs isAborted startedAt leftOut';
const logged = ({ text }: Stream): Logged[] =>
  [...text.matchAll(/^event: next\ndata: (.*)\n\n/gm)].map(([, data = '']) => JSON.parse(data).data.requestLogged);
const subscribe = (who: Visitor, args = '', to = service.url): Promise<Stream> =>
  openStream(sendSubscription(`subscription { requestLogged${args} { ${fields} } }`, who, to));

describe('requestLogged', () => {
  it("sends the token's own requests, without their query, and nobody else's", async () => {
    const { token: another } = await createToken(service.client, { tenantId: acme.tenantId });
    const [mine, theirs] = [await subscribe(acme), await subscribe(globex)];
    const answer = await acme.rest('GET', '/customers?q=secret');
    await acme.rest('GET', '/customers/nothing');
    await acme.graphql('{ me { token { id } } }');
    await service.request('GET', '/api/v1/me', { headers: { authorization: `Bearer ${another}` } });
    await globex.rest('GET', '/me');
    await until(() => logged(mine).length === 3 && logged(theirs).length === 1);
    // Requests in quick succession may be announced in another order.
    const inOrder = logged(mine).toSorted((a, b) => a.path.localeCompare(b.path));
    expect(inOrder.map(({ method, path, status }) => [method, path, status])).toEqual([
      ['GET', '/api/v1/customers', 200],
      ['GET', '/api/v1/customers/nothing', 404],
      ['POST', '/graphql', 200],
    ]);
    expect(inOrder[0]).toEqual({
      requestId: answer.headers.get('x-request-id'),
      method: 'GET',
      path: '/api/v1/customers',
      status: 200,
      durationMs: expect.any(Number),
      isAborted: false,
      startedAt: expect.stringMatching(/\+00:00$/),
      leftOut: 0,
    });
    expect(logged(theirs).map(({ path }) => path)).toEqual(['/api/v1/me']);
  });

  it("is for the sessions of the token's user, too, and for nobody else", async () => {
    const [browser, stranger] = [openBrowser(service), openBrowser(service)];
    for (const [each, who] of [
      [browser, acme],
      [stranger, globex],
    ] as const) {
      const password = 'correct horse battery staple';
      const { email } = await service.client.user.findUniqueOrThrow({ where: { id: who.userId } });
      await setPassword(service.client, { email, password });
      await each.signIn(email, password);
    }
    const mine = await subscribe({ browser }, `(tokenId: "${acme.tokenId}")`);
    await acme.rest('GET', '/me');
    await until(() => logged(mine).length === 1);

    const { token: another } = await createToken(service.client, { tenantId: acme.tenantId });
    const refused = [
      await subscribe({ token: another }, `(tokenId: "${acme.tokenId}")`),
      await subscribe({ browser: stranger }, `(tokenId: "${acme.tokenId}")`),
      await subscribe(globex, `(tokenId: "${acme.tokenId}")`),
      await subscribe({ browser }),
    ];
    for (const stream of refused) await until(() => stream.closed);
    expect(refused.map(({ text }) => /"code":"(\w+)"/.exec(text)?.[1])).toEqual([
      'NOT_FOUND',
      'NOT_FOUND',
      'NOT_FOUND',
      'VALIDATION_FAILED',
    ]);
  });

  it('sends requests of every process, and those that the rate limit refused', async () => {
    const limiter = () => createRateLimiter({ limit: 2, store: memoryStore() });
    const database = { url: databaseUrl(), drop: async () => {} };
    const other = await startService({ database, limiter });
    try {
      const stream = await subscribe(acme);
      for (const _ of [1, 2, 3])
        await other.request('GET', '/api/v1/me', { headers: { authorization: `Bearer ${acme.token}` } });
      await until(() => logged(stream).length === 3);
      expect(
        logged(stream)
          .map(({ status }) => status)
          .toSorted(),
      ).toEqual([200, 200, 429]);
    } finally {
      await other.close();
    }
  });

  it('announces nothing while nobody follows, and no longer than a minute after the last follower', async () => {
    const client = await service.pool.connect();
    const received: (string | undefined)[] = [];
    client.on('notification', ({ payload }) => received.push(payload));
    await client.query('listen requests');
    await acme.rest('GET', '/me');
    const stream = await subscribe(acme);
    stream.hangUp();
    await acme.rest('GET', '/customers');
    await service.client.apiToken.updateMany({ data: { followedUntil: new Date() } });
    await acme.rest('GET', '/invoices');
    const next = await subscribe(globex);
    await globex.rest('GET', '/projects');
    await until(() => logged(next).length === 1);
    await client.query('select 1');
    const paths = received.map((payload = '') => JSON.parse(payload.slice(payload.indexOf('{'))).path);
    expect(paths.filter((path) => path !== '/graphql').toSorted()).toEqual(['/api/v1/customers', '/api/v1/projects']);
    client.release(true);
  });
});

it('a process announces at most 100 requests of a token at once, then 10 a second, and counts the others', async () => {
  let now = 0;
  const client = await service.pool.connect();
  const received: Logged[] = [];
  client.on('notification', ({ payload = '' }) => received.push(JSON.parse(payload.slice(payload.indexOf('{')))));
  await client.query('listen requests');
  const announcer = new RequestAnnouncer(
    service.pool,
    () => {},
    () => now,
  );
  const token = { tenantId: 't', tokenId: 'x' };
  const request = {
    requestId: 'r',
    method: 'GET',
    path: '/',
    status: 200,
    durationMs: 1,
    isAborted: false,
    startedAt: '',
  };
  for (let each = 0; each < 150; each += 1) announcer.announce(token, request);
  announcer.announce({ ...token, tokenId: 'y' }, request);
  now = 100;
  announcer.announce(token, request);
  announcer.announce(token, request);
  await until(async () => (await client.query('select 1')) && received.length === 102);
  expect(received.map(({ leftOut }) => leftOut).filter((count) => count > 0)).toEqual([50]);
  client.release(true);
});
