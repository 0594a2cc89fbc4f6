import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'vitest';
import type { Integrator, Service } from '../harness.ts';

// Raw HTTP over a socket, for requests that no client would send.

/** Sends the text on a new connection. @returns all that the service sends until it closes the connection */
export async function sendRaw(service: Pick<Service, 'url'>, ...parts: (string | Buffer)[]): Promise<string> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk)).on('error', () => {}); // The connection may be reset while the text is sent.
  const closed = once(socket, 'close', { signal: AbortSignal.timeout(5000) });
  for (const part of parts) socket.write(part);
  await closed.finally(() => socket.destroy());
  return Buffer.concat(received).toString();
}

export interface RawAnswer {
  status: number;
  // eslint-disable-next-line typescript/no-explicit-any
  body: any;
}

/** The answers in the received text. */
export function answers(text: string): RawAnswer[] {
  return text.split(/(?=HTTP\/1\.1 \d{3} )/).map((answer) => {
    const body = answer.slice(answer.indexOf('\r\n\r\n') + 4).trim();
    return { status: Number(answer.split(' ')[1]), body: body === '' ? undefined : JSON.parse(body) };
  });
}

/** The body of any error except 422. */
export const anError = { message: expect.stringMatching(/\S/), request_id: expect.any(String) };

/** A request's head. */
export const head = (who: Integrator, line: string, ...headers: string[]): string =>
  [`${line} HTTP/1.1`, 'Host: kontor.example', `Authorization: Bearer ${who.token}`, ...headers, '', ''].join('\r\n');
export const json = 'Content-Type: application/json';
export const last = 'Connection: close';
