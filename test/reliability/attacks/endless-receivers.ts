import { expect } from 'vitest';
import type { Integrator } from '../../harness.ts';
import { floods, reply, startEndpoint, type Behaviour } from '../../webhooks/endpoints.ts';
import { createWebhook, until } from '../../webhooks/receiver.ts';
import type { Served } from '../served.ts';
import { size } from '../size.ts';
import type { Attack } from './attack.ts';

const events = size('EVENTS', { suite: 10, full: 50 });
const mebibyte = 1024 * 1024;
/** The size of a connection's buffers in the kernels. */
const bufferedBytes = 16 * mebibyte;

const chunked = reply(200, ['Transfer-Encoding: chunked']);
/** Requests for a handshake: a TLS client passes over them while it is in one. */
const helloRequests = Buffer.concat([Buffer.from('1603033e80', 'hex'), Buffer.alloc(16_000)]);
const receivers: Record<string, Behaviour> = {
  'http interim responses': { answer: floods('', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000)) },
  'http interim headers': { answer: floods('', reply(103, [`X: ${'y'.repeat(16_000)}`])) },
  'http a reason': { answer: floods('HTTP/1.1 200 ', 'x'.repeat(65_536)) },
  'http a chunk extension': { answer: floods(Buffer.concat([chunked, Buffer.from('2;x=')]), 'y'.repeat(65_536)) },
  'http trailers': { answer: floods(Buffer.concat([chunked, Buffer.from('0\r\n')]), 'X: y\r\n'.repeat(5000)) },
  'http a body': { answer: floods('HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(65_536)) },
  'http a status that is none': { answer: floods('', reply('000')) },
  'https requests for a handshake': {
    connected: (socket) => socket.once('data', () => floods('', helloRequests)(socket, 0)),
  },
};

async function prepare({ beside }: Served, attacker: Integrator): Promise<() => Promise<void>> {
  const endpoints = await Promise.all(Object.values(receivers).map(startEndpoint));
  const schemes = Object.keys(receivers).map((name) => name.split(' ')[0]);
  for (const [index, { port }] of endpoints.entries()) {
    await createWebhook(attacker, { url: `${schemes[index]}://127.0.0.1:${port}/`, events: ['customer.created'] });
  }
  return async () => {
    for (let sent = 0; sent < events; sent += 1) {
      await attacker.rest('POST', '/customers', { type: 'customer', company_name: `Partner ${sent}` });
    }
    const attempts = async (): Promise<{ error: string | null }[]> =>
      (
        await beside.pool.query(
          'select error from delivery_attempts where tenant_id = $1 and duration_ms is not null',
          [attacker.tenantId],
        )
      ).rows;
    await until(
      async () => (await attempts()).length === events * endpoints.length,
      'an attempt of each delivery',
      600_000,
    );
    const errors = Map.groupBy(await attempts(), ({ error }) => error?.replace(/:.*/, '') ?? 'accepted');
    expect(Object.fromEntries([...errors].map(([error, found]) => [error, found.length / events]))).toEqual({
      'the response is endless': 4,
      'the response headers are longer than 16 KiB': 2,
      'the response is not valid HTTP': 1,
      accepted: 1, // a body is read up to 16 KiB
    });
    for (const endpoint of endpoints) {
      await until(() => endpoint.open() === 0, 'the ends of all connections');
      expect(endpoint.bytesSent() / endpoint.connections()).toBeLessThan(bufferedBytes);
      await endpoint.close();
    }
  };
}

/** Attempts that a worker has under way at most: an eighth of them at each endpoint. */
const atOnce = 400;
/** The most bytes held of a response: its bound, and a copy while its head is put together; with TLS, all that come. */
const [heldOfHttp, heldOfHttps] = [2 * 128 * 1024, mebibyte];
const attemptsAtEach = Math.min(events, atOnce / Object.keys(receivers).length);
const held = attemptsAtEach * ((Object.keys(receivers).length - 1) * heldOfHttp + heldOfHttps);
/**
 * The garbage that V8 hasn't collected yet. V8's young generation would take 48 MiB in each of five processes, so it
 * gets 3 MiB. Of 400 attempts at once, 4 MiB were alive at any time, nothing after them, and the process grew by 77 MiB
 * at most.
 */
const garbage = 100 * mebibyte;

const attack: Attack = {
  title: `${Object.keys(receivers).length} receivers that send for ever, ${events} events each`,
  works: true,
  settings: {
    WEBHOOK_ALLOW_INSECURE: '1',
    WEBHOOK_RETRY_DELAYS: '1000000',
    RATE_LIMIT_PER_MINUTE: '0',
    NODE_OPTIONS: '--max-semi-space-size=1',
  },
  memoryGrowth: Math.ceil((held + garbage) / mebibyte),
  prepare,
};
export default attack;
