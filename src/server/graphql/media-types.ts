import type { IncomingMessage } from 'node:http';
import type { Plugin } from 'graphql-yoga';
import { compressed, isUtf8Text, otherType, TransportError } from '../../../rest-shim/request-body.ts';
import { isForm } from '../http/multipart.ts';

// Media types of requests and responses. Yoga compares those of requests as text, and looks at `Accept` only after execution.

/** Writes the media type of a body in small letters, as it is compared. Its parameters stay: a boundary may have capitals. */
export function normalizeType({ headers }: IncomingMessage): void {
  const sent = headers['content-type'];
  if (sent === undefined) return;
  const [type = '', ...parameters] = sent.split(';');
  headers['content-type'] = [type.trim().toLowerCase(), ...parameters].join(';');
}

/**
 * Refuses what is refused at REST too: a body in another charset, or compressed. And a request whose `Accept` takes no response
 * of GraphQL, before anything is done.
 * @throws TransportError
 */
export function checkMediaTypes({ method, headers }: IncomingMessage): void {
  const { 'content-type': type = '', accept } = headers;
  if (method === 'POST') {
    if (headers['content-encoding'] !== undefined) throw compressed();
    if (!isForm(type) && !isUtf8Text(type)) throw otherType();
  }
  if (accept && !accept.split(',').some((each) => takesJson(each) || isStream(each)))
    throw new TransportError(406, 'The response is application/json, which Accept must take.');
}

const jsonRange = /^\s*(\*\/\*|application\/(\*|json|graphql-response\+json))\s*(;|$)/i;

/** Whether a part of `Accept` takes JSON in UTF-8. */
export const takesJson = (range: string): boolean => jsonRange.test(range) && isUtf8Text(range);

const isStream = (range: string): boolean => /^\s*(text\/event-stream|multipart\/mixed)\s*(;|$)/i.test(range);

/**
 * Has no cache store a stream, as any other response; Yoga says only that it must be asked for again. Yoga's refusal of a
 * subscription whose `Accept` takes no event stream has no body, which it gets here.
 */
export const useStreamResponses: Plugin = {
  onResponse: ({ response, fetchAPI, setResponse }) => {
    const isEventStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    if (isEventStream) response.headers.set('Cache-Control', 'no-store');
    if (response.status !== 406 || response.body) return;
    const message = 'A subscription is sent as text/event-stream, which Accept must take.';
    const body = { errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] };
    setResponse(fetchAPI.Response.json(body, { status: 406 }));
  },
};
