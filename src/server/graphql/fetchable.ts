import type { IncomingMessage } from 'node:http';
import { takesJson } from './media-types.ts';

/** Converts a request for Yoga's fetch(). The result doesn't accept event streams, because the response is read as a whole. */
export function fetchable({ url = '/', headers }: IncomingMessage) {
  const accept = headers.accept?.split(',').filter(takesJson).join(',');
  const { 'content-length': _length, 'transfer-encoding': _encoding, ...others } = headers;
  const entries = Object.entries({ ...others, ...(accept !== undefined && { accept }) });
  return {
    url: new URL(url, 'http://kontor.invalid').href,
    init: { method: 'POST', headers: entries.map(([name, value]): [string, string] => [name, String(value)]) },
  };
}
