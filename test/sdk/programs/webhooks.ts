import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { verifyWebhook, WebhookVerificationError, type VerifyOptions, type WebhookHeaders } from '@kontor/sdk';

/** Deliveries that the service sent, after a rotation of the secret. */
interface Sent {
  secret: string;
  formerSecret: string;
  deliveries: { headers: Record<string, string>; body: string }[];
}

const { secret, formerSecret, deliveries } = JSON.parse(readFileSync('deliveries.json', 'utf8')) as Sent;
const [first = { headers: {}, body: '' }] = deliveries;
const { 'x-service-signature': _, ...standardOnly } = first.headers;
const bodyOnly = { 'X-Service-Signature': first.headers['x-service-signature'] };

const either = { acceptBodySignature: true };

const refuses = (
  what: string,
  body: string,
  headers: WebhookHeaders,
  key = secret,
  options: VerifyOptions = {},
): void =>
  void it(`refuses ${what}`, () =>
    assert.rejects(verifyWebhook(body, headers, key, options), WebhookVerificationError));

describe('verifyWebhook', () => {
  it('returns the typed event of every delivery that the service sent', async () => {
    const found: unknown[] = [];
    for (const { body, headers } of deliveries) {
      const event = await verifyWebhook(body, headers, secret);
      switch (event.event) {
        case 'invoice.paid':
          found.push([event.event, event.data.invoice.total_gross]);
          break;
        case 'customer.created':
          found.push([event.event, event.data.customer.company_name]);
          break;
        case 'webhook.ping':
          found.push([event.event, event.data.message]);
      }
    }
    assert.deepEqual(found.toSorted(), [
      ['customer.created', 'Bäckerei €'],
      ['invoice.paid', 119],
      ['webhook.ping', 'pong'],
    ]);
  });

  it('takes text, bytes, a buffer, and any kind of headers', async () => {
    const { body, headers } = first;
    const bytes = new TextEncoder().encode(body);
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
    for (const raw of [body, bytes, Buffer.from(body), bytes.buffer])
      for (const given of [headers, upper, new Headers(headers)])
        assert.equal((await verifyWebhook(raw, given, secret)).event, JSON.parse(body).event);
  });

  it('takes both secrets during a rotation', async () => {
    await verifyWebhook(first.body, first.headers, formerSecret);
    await verifyWebhook(first.body, first.headers, secret);
  });

  it('takes Standard Webhooks alone, and the other signature alone if it is told to', async () => {
    await verifyWebhook(first.body, standardOnly, secret);
    await verifyWebhook(first.body, bodyOnly, formerSecret, { acceptBodySignature: true });
  });
  refuses(
    'a delivery that was seen, without the headers that cover its time and its id',
    first.body,
    {
      ...bodyOnly,
      'webhook-id': 'another',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
    },
    formerSecret,
  );

  const { body, headers } = first;
  const signature = first.headers['x-service-signature'] ?? '';
  for (const [which, own, key] of [
    ['both signatures', headers, secret],
    ['Standard Webhooks', standardOnly, secret],
    ['X-Service-Signature', bodyOnly, formerSecret],
  ] as const) {
    const rewritten = JSON.stringify(JSON.parse(body), null, 1);
    refuses(`a changed body, with ${which}`, body.replace('data', 'Data'), own, key, either);
    refuses(`the same JSON, written differently, with ${which}`, rewritten, own, key, either);
    refuses(`no body, with ${which}`, '', own, key, either);
    refuses(`another secret, with ${which}`, body, own, `whsec_${btoa('another secret')}`, either);
    refuses(`an empty secret, with ${which}`, body, own, '', either);
  }
  refuses('a delivery without a signature', body, {});
  refuses('a delivery without a signature, of either kind', body, {}, secret, either);
  it('names the mistake of arguments in another order', () =>
    assert.rejects(verifyWebhook(secret, headers, body), { message: 'This is not the secret of a webhook.' }));
  refuses('an id that was changed', body, { ...headers, 'webhook-id': 'other' });
  refuses('a time that was changed', body, {
    ...headers,
    'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1),
  });
  refuses('a time that is none', body, { ...headers, 'webhook-timestamp': 'now' });
  refuses('no time', body, { 'webhook-id': 'x', 'webhook-signature': headers['webhook-signature'] });
  refuses('another version of the signature', body, {
    ...headers,
    'webhook-signature': headers['webhook-signature']?.replaceAll('v1,', 'v2,'),
  });
  refuses('an old delivery', body, headers, secret, { tolerance: -1 });
  for (const wrong of [
    '',
    signature.slice(0, 40),
    `${signature}00`,
    `${signature}0`,
    signature.slice(7),
    'sha256=',
    'sha256=é',
  ])
    refuses(`the signature "${wrong}"`, body, { 'x-service-signature': wrong }, formerSecret, either);
});
