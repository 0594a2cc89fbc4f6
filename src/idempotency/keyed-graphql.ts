import type { IncomingMessage } from 'node:http';
import { readStreamBytes } from '../../rest-shim/request-body.ts';
import type { ErrorCode } from '../../schema/errors.ts';
import { importLimits } from '../../schema/bank-import/import.ts';
import type { GraphqlDoor, Visit } from '../graphql/door.ts';
import { fateOfStatus, sha256, type AnswerOnce, type Fate } from './idempotency.ts';
import { fetchable } from '../graphql/fetchable.ts';
import { isForm, type Form } from '../http/multipart.ts';
import type { Answer } from './stored-answers.ts';

/** What was sent: bytes, or a form. */
interface Body {
  hash: Uint8Array<ArrayBuffer>;
  bytes?: Buffer<ArrayBuffer>;
  form?: Form;
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
  { key, context, ...visit }: Visit & { key: string },
): Promise<Response> {
  const answer = ({ hash, bytes, form }: Body): Promise<Response> =>
    answerOnce({ method: 'POST', path: '/graphql', key, body: hash, requestId: visit.requestId }, context, {
      handle: async (inside) => {
        const { url, init } = fetchable(request);
        const server = { ...visit, context: inside, isRetried: true, ...(form && { form }) };
        return await door.fetch(url, { ...init, ...(bytes && { body: bytes }) }, server);
      },
      fateOf,
      ...(form && { limits: importLimits }),
    });
  if (isForm(request.headers['content-type']))
    return door.receive(request, context, { isHashed: true }, (form) => answer({ hash: form.hash, form }));
  const bytes = await readStreamBytes(request.iterator({ destroyOnReturn: false }));
  return answer({ hash: sha256(bytes), bytes });
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
