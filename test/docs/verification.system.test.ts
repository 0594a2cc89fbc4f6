import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliveryHeaders, newSecret } from '../../src/webhooks/signature.ts';
import { isInstalled, languages } from './languages.ts';
import { findFreePort } from '../../src/database/postgres/free-port.ts';

// The guide's receivers run unchanged. They get signed deliveries of the service, and forged ones.

const secret = newSecret();
const genuine = JSON.stringify({ event: 'customer.created', data: { customer: { company_name: 'Bäckerei €' } } });
const headersOf = (body: string, keyedWith = secret): Record<string, string> =>
  deliveryHeaders({
    body,
    event: 'customer.created',
    deliveryId: randomUUID(),
    attempt: 1,
    eventId: randomUUID(),
    timestamp: 1_769_851_800,
    secrets: { document: keyedWith, standard: [keyedWith] },
  });

describe.each(languages.map((language) => ({ name: language.name, language })))('$name', ({ language }) => {
  describe.skipIf(!isInstalled(language))('the receiver', () => {
    let child: ChildProcess;
    let url: string;
    let output = '';

    beforeAll(async () => {
      const port = await findFreePort();
      url = `http://127.0.0.1:${port}`;
      const [program, ...args] = language.start(port);
      const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret };
      // It gets its own process group: `go run` has a child process that outlives it.
      child = spawn(program, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
      while (!(await fetch(url, { method: 'POST', body: '' }).catch(() => undefined))) {
        if (child.exitCode !== null) throw new Error(`${language.name} ended: ${output}`);
        await sleep(50);
      }
    });
    afterAll(async () => {
      if (child.exitCode !== null) return;
      process.kill(-child.pid!, 'SIGKILL');
      await once(child, 'exit');
    });

    const post = async (body: string, headers: Record<string, string>): Promise<number> =>
      (await fetch(url, { method: 'POST', headers, body })).status;

    it('answers 204 to a delivery that the service signed', async () => {
      expect(await post(genuine, headersOf(genuine))).toBe(204);
    });

    it.each([
      ['one byte changed', genuine.replace('€', '$'), headersOf(genuine)],
      ['the same JSON, written differently', JSON.stringify(JSON.parse(genuine), null, 1), headersOf(genuine)],
      ['signed with another secret', genuine, headersOf(genuine, newSecret())],
      ['no signature', genuine, {}],
      ['an empty signature', genuine, { 'X-Service-Signature': '' }],
      ['half a signature', genuine, { 'X-Service-Signature': headersOf(genuine)['X-Service-Signature']!.slice(0, 40) }],
      ['a longer signature', genuine, { 'X-Service-Signature': `${headersOf(genuine)['X-Service-Signature']}0` }],
      ['another algorithm', genuine, { 'X-Service-Signature': headersOf(genuine)['X-Service-Signature']!.slice(7) }],
      ['a signature outside of ASCII', genuine, { 'X-Service-Signature': 'sha256=é' }],
      ['no body', '', headersOf(genuine)],
    ])('answers 401: %s', async (_, body, headers) => {
      expect(await post(body, headers)).toBe(401);
    });
  });
});
