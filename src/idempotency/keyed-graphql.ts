import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { readBytes, TransportError } from '../../rest-shim/body.ts';
import type { ErrorCode } from '../../schema/errors.ts';
import { importLimits } from '../../schema/statement-import.ts';
import type { GraphqlDoor, Visit } from '../graphql/door.ts';
import { fateOfStatus, sha256, type AnswerOnce, type Fate } from './idempotency.ts';
import { isForm, maxUpload } from '../http/multipart.ts';
import type { Answer } from './stored-answers.ts';

/** The longest form: a file, and the fields beside it. */
const maxForm = maxUpload + 4 * 1024 * 1024;

/** A body that can be read, and read again. */
interface Body {
  hash: Uint8Array<ArrayBuffer>;
  /** What yoga is called with for it. */
  init: { body?: Buffer<ArrayBuffer> };
  /** In place of the request's own stream, which is spent. */
  stream?: () => NodeJS.ReadableStream;
  discard: () => Promise<void>;
}

/**
 * Answers a POST that came with a key at the GraphQL door, once. A document with several mutations is then done as a
 * whole or not at all.
 * @throws TransportError where the body is too long or broke off; CodedError as AnswerOnce says
 */
export async function answerKeyedGraphql(
  door: GraphqlDoor,
  answerOnce: AnswerOnce,
  request: IncomingMessage,
  response: ServerResponse,
  { key, context, ...visit }: Visit & { key: string },
): Promise<Response> {
  const body = isForm(request.headers['content-type']) ? await spool(request) : await read(request);
  try {
    const keyed = { method: 'POST', path: '/graphql', key, body: body.hash, requestId: visit.requestId };
    return await answerOnce(keyed, context, {
      handle: async (inside) => {
        const { url, init } = asked(request);
        const req = body.stream && Object.assign(body.stream(), { headers: request.headers });
        const server = { ...(req && { req, res: response }), ...visit, context: inside };
        return await door.fetch(url, { ...init, ...body.init }, server);
      },
      fateOf,
      ...(body.stream && { limits: importLimits }),
    });
  } finally {
    await body.discard();
  }
}

/** The request as Yoga's fetch takes it. A stream of events has no end that could be kept: none is asked for. */
function asked({ url = '/', headers }: IncomingMessage) {
  const accept = headers.accept
    ?.split(',')
    .filter((type) => !/text\/event-stream|multipart\/mixed/i.test(type))
    .join(',');
  const { 'content-length': _length, 'transfer-encoding': _encoding, ...others } = headers;
  const entries = Object.entries({ ...others, ...(accept !== undefined && { accept }) });
  return {
    url: new URL(url, 'http://kontor.invalid').href,
    init: { method: 'POST', headers: entries.map(([name, value]): [string, string] => [name, String(value)]) },
  };
}

async function read(request: IncomingMessage): Promise<Body> {
  const body = await readBytes(request.iterator({ destroyOnReturn: false }));
  return { hash: sha256(body), init: { body }, discard: async () => {} };
}

/** Keeps a form in a file, so that no transaction waits for its sender, and its hash is known before it is read. */
async function spool(request: IncomingMessage): Promise<Body> {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-form-'));
  const discard = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const file = join(folder, 'body');
  const hash = createHash('sha256');
  let length = 0;
  try {
    await pipeline(
      request.iterator({ destroyOnReturn: false }),
      async function* counted(chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          length += chunk.length;
          if (length > maxForm) throw new TransportError(413, `The form must not be longer than ${maxForm} bytes.`);
          hash.update(chunk);
          yield chunk;
        }
      },
      createWriteStream(file),
    );
  } catch (error) {
    await discard();
    throw request.errored ? new TransportError(400, 'The body broke off.') : error;
  }
  return { hash: new Uint8Array(hash.digest()), init: {}, stream: () => createReadStream(file), discard };
}

const repeatable = new Set<ErrorCode>(['UNAUTHENTICATED', 'FORBIDDEN', 'RATE_LIMITED', 'INTERNAL_SERVER_ERROR']);

/** Without data nothing is done: the errors say why, as REST's statuses do. */
function fateOf(answer: Answer): Fate {
  const { data, errors = [] } = JSON.parse(answer.body) as {
    data?: unknown;
    errors?: { extensions?: { code?: ErrorCode } }[];
  };
  if (data !== undefined && data !== null) return 'done';
  const codes = errors.map(({ extensions }) => extensions?.code);
  if (codes.some((code) => code !== undefined && repeatable.has(code))) return 'repeatable';
  const fate = fateOfStatus(answer);
  return fate === 'done' ? 'refused' : fate;
}
