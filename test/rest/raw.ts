import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'vitest';
import type { Integrator, Service } from '../harness.ts';

// HTTP spoken by hand, for what no client would send.

/** Says all of it, on a connection of its own, and hears until the service hangs up; fails when it doesn't. */
export async function speak(service: Pick<Service, 'url'>, ...parts: (string | Buffer)[]): Promise<string> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  const heard: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => heard.push(chunk)).on('error', () => {}); // reset while still speaking
  const closed = once(socket, 'close', { signal: AbortSignal.timeout(5000) });
  for (const part of parts) socket.write(part);
  await closed.finally(() => socket.destroy());
  return Buffer.concat(heard).toString();
}

export interface Heard {
  status: number;
  // eslint-disable-next-line typescript/no-explicit-any
  body: any;
}

/** The answers in what was heard. */
export function answers(text: string): Heard[] {
  return text.split(/(?=HTTP\/1\.1 \d{3} )/).map((answer) => {
    const body = answer.slice(answer.indexOf('\r\n\r\n') + 4).trim();
    return { status: Number(answer.split(' ')[1]), body: body === '' ? undefined : JSON.parse(body) };
  });
}

/** The body of any error but 422's. */
export const anError = { message: expect.stringMatching(/\S/), request_id: expect.any(String) };

/** A request's head. */
export const head = (who: Integrator, line: string, ...headers: string[]): string =>
  [`${line} HTTP/1.1`, 'Host: kontor.example', `Authorization: Bearer ${who.token}`, ...headers, '', ''].join('\r\n');
export const json = 'Content-Type: application/json';
export const last = 'Connection: close';
