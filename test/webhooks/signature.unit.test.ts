import { execFile } from 'node:child_process';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, it } from 'vitest';
import { deliveryHeaders, newSecret, signatures } from '../../src/webhooks/signature.ts';

// Verified by code that isn't ours: the libraries that receivers use, and openssl.

const eventId = '01980a3e-7c1b-7d3a-9f52-2f0d6f1e8a10';
const bodies: [string, string | Buffer][] = [
  ['JSON', '{"event":"invoice.paid","data":{"invoice":{"number":"2026-0001","total":1190.5}}}'],
  ['beyond ASCII', '{"name":"Zoë Müller GmbH 🧾","note":"a\\u0000b \\"quoted\\""}'],
  ['pretty', '{\r\n  "a" : 1 \r\n}\n'],
  ['none at all', ''],
  ['not UTF-8', Buffer.from([0, 255, 254, 128, 10])],
  ['large', `{"x":"${'é'.repeat(200_000)}"}`],
];

const now = (): number => Math.floor(Date.now() / 1000);

/** The digest of a body by `openssl dgst`. */
function openssl(body: string | Buffer, ...key: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile('openssl', ['dgst', '-sha256', ...key], (error, stdout) => {
      if (error) reject(error);
      else resolve(stdout.trim().split(' ').at(-1) ?? '');
    });
    child.stdin?.end(body);
  });
}

describe('a secret', () => {
  it('is whsec_ and 32 random bytes in base64', () => {
    const secrets = Array.from({ length: 100 }, newSecret);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    }
    expect(new Set(secrets).size).toBe(100);
  });
});

describe('X-Service-Signature', () => {
  it.each(bodies)('is what openssl computes with the whole secret as key: %s', async (_, body) => {
    const secret = newSecret();
    const headers = signatures({ body, eventId, timestamp: now(), secrets: { document: secret, standard: [secret] } });
    expect(headers['X-Service-Signature']).toBe(`sha256=${await openssl(body, '-hmac', secret)}`);
  });

  it('doesn’t depend on the attempt: same body, same secret, same signature', () => {
    const signed = { body: '{}', eventId, secrets: { document: 'whsec_AAAA', standard: [] } };
    const [one, two] = [signatures({ ...signed, timestamp: 1 }), signatures({ ...signed, timestamp: 2 })];
    expect(one['X-Service-Signature']).toBe(two['X-Service-Signature']);
  });
});

describe('the Standard Webhooks headers', () => {
  it.each(bodies)('are accepted by the libraries: %s', (_, body) => {
    const secret = newSecret();
    const headers = signatures({ body, eventId, timestamp: now(), secrets: { document: secret, standard: [secret] } });
    // Beyond the signature, standardwebhooks reads JSON and UTF-8: for the others, openssl has to do.
    if (Buffer.isBuffer(body)) return;
    expect(() => new StandardWebhook(secret).verify(body, headers, { jsonParse: false })).not.toThrow();
    expect(() => new SvixWebhook(secret).verify(body, headers)).not.toThrow();
    for (const Webhook of [StandardWebhook, SvixWebhook]) {
      expect(() => new Webhook(newSecret()).verify(body, headers)).toThrow('No matching signature');
      expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow('No matching signature');
      expect(() => new Webhook(secret).verify(body, { ...headers, 'webhook-id': 'x' })).toThrow('No matching');
      const later = { ...headers, 'webhook-timestamp': String(now() + 1) };
      expect(() => new Webhook(secret).verify(body, later)).toThrow('No matching signature');
    }
  });

  it('are what openssl computes with the secret’s bytes as key', async () => {
    const [secret, body, timestamp] = [newSecret(), Buffer.from([0, 255, 254, 128, 10]), now()];
    const headers = signatures({ body, eventId, timestamp, secrets: { document: secret, standard: [secret] } });
    const key = Buffer.from(secret.slice(6), 'base64').toString('hex');
    const content = Buffer.concat([Buffer.from(`${eventId}.${timestamp}.`), body]);
    const hex = await openssl(content, '-mac', 'HMAC', '-macopt', `hexkey:${key}`);
    expect(headers['webhook-signature']).toBe(`v1,${Buffer.from(hex, 'hex').toString('base64')}`);
  });

  it('carry both signatures after a rotation, X-Service-Signature one', () => {
    const [former, current, body] = [newSecret(), newSecret(), '{"a":1}'];
    const secrets = { document: former, standard: [current, former] };
    const headers = signatures({ body, eventId, timestamp: now(), secrets });
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
    for (const secret of [former, current]) {
      expect(new StandardWebhook(secret).verify(body, headers)).toEqual({ a: 1 });
      expect(() => new SvixWebhook(secret).verify(body, headers)).not.toThrow();
    }
    const alone = signatures({ body, eventId, timestamp: 1, secrets: { document: former, standard: [former] } });
    expect(headers['X-Service-Signature']).toBe(alone['X-Service-Signature']);
  });
});

it('the signatures stay what they are', () => {
  // Svix's documentation has this example; the first header's value is from openssl.
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const headers = signatures({
    body: '{"test": 2432232314}',
    eventId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1_614_265_330,
    secrets: { document: secret, standard: [secret] },
  });
  expect(headers).toEqual({
    'X-Service-Signature': 'sha256=80ec8a89ce3cd22133a1066caecb4d04fea7467657c8514d717ec42c38a5c94c',
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

it('a delivery has exactly the documented headers, and the Standard Webhooks ones', () => {
  const signed = {
    body: '{"event":"invoice.paid"}',
    eventId,
    timestamp: 1_767_225_600,
    secrets: { document: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', standard: ['whsec_AAAA', 'whsec_BBBB'] },
  };
  const deliveryId = '01980a3e-8000-7000-8000-000000000001';
  const headers = deliveryHeaders({ ...signed, event: 'invoice.paid', deliveryId, attempt: 3 });
  expect(Object.entries(headers)).toEqual([
    ['Content-Type', 'application/json'],
    ['User-Agent', 'service-webhook/1.0'],
    ['X-Service-Event', 'invoice.paid'],
    ['X-Service-Signature', expect.stringMatching(/^sha256=[0-9a-f]{64}$/)],
    ['X-Service-Delivery', deliveryId],
    ['X-Service-Attempt', '3'],
    ['webhook-id', eventId],
    ['webhook-timestamp', '1767225600'],
    ['webhook-signature', expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/)],
  ]);
  expect(headers).toMatchObject(signatures(signed));
});
