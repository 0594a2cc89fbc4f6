import { describe, expect, it } from 'vitest';
import type { Lookup } from '../../src/webhooks/name-lookup.ts';
import { createPoster, success } from '../../src/webhooks/post.ts';
import {
  ample,
  accepted,
  attempt,
  check,
  failing,
  fails,
  finding,
  identities,
  prepareAttempts,
  request,
  short,
  sockets,
  type Ending,
} from './attempts.ts';
import { closedPort, knownHost, reply, startEndpoint, writes, type Answer, type Endpoint } from './endpoints.ts';

prepareAttempts();

describe('an attempt without a connection', () => {
  it('fails where the port is closed', async () => {
    check(await attempt(`http://127.0.0.1:${await closedPort()}/`, {}), fails('connection refused'));
  });

  it('fails where each address of a name refuses the connection', async () => {
    const lookup = finding('127.0.0.1', '127.0.0.2');
    check(await attempt(`http://${knownHost}:${await closedPort()}/`, { lookup }), fails('connection refused'));
  });

  it('succeeds at the second address of a name, and sends the request once', async () => {
    const endpoint = await startEndpoint({ answer: writes(reply(200)) });
    const lookup = finding('127.0.0.2', '127.0.0.1');
    check(await attempt(`http://${knownHost}:${endpoint.port}/`, { lookup }, endpoint), accepted(200));
    expect(endpoint.requests()).toBe(1);
    await endpoint.close();
  });

  it.each<[string, Lookup, Ending]>([
    ['the name doesn’t exist', failing('ENOTFOUND'), fails('the name does not resolve')],
    ['it has no address', failing('ENODATA'), fails('the name does not resolve')],
    ['it has none, and that is no error', finding(), fails('the name does not resolve')],
    ['the resolver gives up', failing('EAI_AGAIN'), fails('the name server does not answer')],
    ['SERVFAIL', failing('ESERVFAIL'), fails('the name server reports a failure')],
    ['something unheard of', failing('EWHATEVER'), fails('the exchange failed (EWHATEVER)')],
    ['no answer', () => {}, { ...fails(/timed out|does not answer/), timeoutMs: short }],
  ])('fails when the lookup answers: %s', async (_name, lookup, ending) => {
    check(await attempt(`http://${knownHost}/`, { lookup, timeoutMs: ending.timeoutMs }), ending);
  });

  it('sends nothing when the name server answers after the timeout', async () => {
    const endpoint = await startEndpoint({ answer: writes(reply(200)) });
    let answered: Promise<void> | undefined;
    const lookup: Lookup = (name, options, callback) => {
      answered = new Promise((resolve) => {
        setTimeout(() => resolve(finding('127.0.0.1')(name, options, callback)), short * 2);
      });
    };
    const poster = createPoster({ allowInsecure: true, timeoutMs: short, lookup });
    const outcome = await poster.post({ url: `http://${knownHost}:${endpoint.port}/`, ...request });
    check(outcome, fails(/timed out|does not answer/));
    await answered;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(endpoint.requests()).toBe(0);
    await poster.close();
    await expect.poll(() => endpoint.open() + sockets(), { interval: 5 }).toBe(0);
    await endpoint.close();
  });

  it.each([
    ['https://hooks.example.com', ['127.0.0.1'], 'resolves to a private address'],
    ['https://hooks.example.com', ['93.184.216.34', '10.0.0.1'], 'resolves to a private address'],
    ['https://hooks.example.com', ['::ffff:127.0.0.1'], 'resolves to a private address'],
    ['https://127.0.0.1', [], 'not sent: Must not be a private address.'],
    ['https://2130706433', [], 'not sent: Must not be a private address.'],
    ['https://0x7f.1', [], 'not sent: Must not be a private address.'],
    ['https://[::1]', [], 'not sent: Must not be a private address.'],
    ['https://[::ffff:127.0.0.1]', [], 'not sent: Must not be a private address.'],
    ['https://localhost', ['127.0.0.1'], 'not sent: Must not be a name on a private network.'],
    ['http://hooks.example.com', ['127.0.0.1'], 'not sent: Must begin with https://.'],
  ])('fails for %s at %j, unless insecure URLs are allowed', async (origin, addresses, error) => {
    const endpoint = await startEndpoint({ secure: identities.good, answer: writes(reply(200)) });
    const settings = { allowInsecure: false, lookup: finding(...addresses), ca: identities.ca };
    check(await attempt(`${origin}:${endpoint.port}/`, settings, endpoint), fails(error));
    expect(endpoint.connections()).toBe(0);
    await endpoint.close();
  });
});

describe('two attempts at one endpoint', () => {
  async function twice(answer: Answer, between: (endpoint: Endpoint) => Promise<void> | void = () => {}) {
    const endpoint = await startEndpoint({ answer });
    const poster = createPoster({ allowInsecure: true, timeoutMs: ample });
    const url = `http://127.0.0.1:${endpoint.port}/`;
    try {
      const first = await poster.post({ url, ...request });
      await between(endpoint);
      const second = await poster.post({ url, ...request });
      return { first, second, endpoint };
    } finally {
      await poster.close();
      await expect.poll(() => endpoint.open() + sockets(), { interval: 5 }).toBe(0);
      await endpoint.close();
    }
  }
  const numbered: Answer = (socket, index) => void socket.write(reply(200, [], `${index}`));

  it('use at most one connection and send one request each', async () => {
    const { first, second, endpoint } = await twice(numbered, () => new Promise((resolve) => setTimeout(resolve, 50)));
    check(first, accepted(200, '0'));
    check(second, accepted(200, '1'));
    expect(endpoint.requests()).toBe(2);
    expect(endpoint.connections()).toBeLessThanOrEqual(2);
  });

  it.each<[string, Answer]>([
    ['closed', (socket, index) => (socket.write(reply(200, [], `${index}`)), setTimeout(() => socket.end(), 50))],
    [
      'reset',
      (socket, index) => (socket.write(reply(200, [], `${index}`)), setTimeout(() => socket.resetAndDestroy(), 50)),
    ],
    ['closed as announced', (socket, index) => void socket.end(reply(200, ['Connection: close'], `${index}`))],
  ])('use two connections when the first is %s in between, and send each request once', async (_name, answer) => {
    const gone = async (endpoint: Endpoint): Promise<void> => {
      await expect.poll(() => endpoint.open() + sockets(), { interval: 5 }).toBe(0);
    };
    const { first, second, endpoint } = await twice(answer, gone);
    check(first, accepted(200, '0'));
    check(second, accepted(200, '1'));
    expect([endpoint.connections(), endpoint.requests()]).toEqual([2, 2]);
  });

  it('send the second request at most once when the endpoint closes the connection meanwhile', async () => {
    const { first, second, endpoint } = await twice((socket) => void socket.end(reply(200, [], 'ok')));
    check(first, accepted(200, 'ok'));
    expect(success(second) || /before a response came/.test(second.error ?? '')).toBe(true);
    expect(endpoint.requests()).toBeLessThanOrEqual(2);
  });

  it('don’t take a second response to the first request for the second’s', async () => {
    const doubly: Answer = (socket, index) =>
      void socket.write(Buffer.concat([reply(200, [], `${index}`), reply(299, [], 'unasked')]));
    const { first, second, endpoint } = await twice(doubly);
    check(first, accepted(200, '0'));
    check(second, accepted(200, '1'));
    expect(endpoint.requests()).toBe(2);
  });
});

it('closing waits for attempts under way, and then sends nothing more', async () => {
  const endpoint = await startEndpoint({ answer: (socket) => void setTimeout(() => socket.write(reply(200)), 100) });
  const poster = createPoster({ allowInsecure: true, timeoutMs: ample });
  const url = `http://127.0.0.1:${endpoint.port}/`;
  const underWay = poster.post({ url, ...request });
  await poster.close();
  check(await underWay, accepted(200));
  await expect(poster.post({ url, ...request })).rejects.toThrow('closed');
  await expect.poll(() => endpoint.open() + sockets(), { interval: 5 }).toBe(0);
  expect(endpoint.requests()).toBe(1);
  await endpoint.close();
});
