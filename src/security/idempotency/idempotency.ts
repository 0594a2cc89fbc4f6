import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ability } from '../../../schema/graphql/ability.ts';
import type { Context } from '../../../schema/graphql/context.ts';
import { ForbiddenError, ValidationError, type Problem } from '../../../schema/errors/errors.ts';
import type { Identity } from '../../../schema/graphql/identity.ts';
import { rememberIdentityWrites } from './identity-writes.ts';
import { createStoredResponses, type SentResponse, type StoredResponse } from './stored-responses.ts';
import type { Encryption } from '../encryption.ts';

/** A request that is handled once, however often it is sent (CONTRACT.md#idempotency). */
interface IdempotentRequest {
  method: string;
  path: string;
  key: string;
  /** SHA-256 of its body, as sent. */
  body: Uint8Array<ArrayBuffer>;
  requestId: string;
}

/**
 * The treatment of a response: `done` is committed and stored; `refused` is stored, but its writes are rolled back;
 * `repeatable` is neither.
 */
export type ReplayPolicy = 'done' | 'refused' | 'repeatable';

interface Handling {
  /** Executes the request. Called again if its transaction fails by contention. */
  handle: (context: Context) => Promise<Response>;
  replayPolicyOf: (response: SentResponse) => ReplayPolicy;
  /** Limits of the outer transaction. */
  limits?: { timeout: number };
}

/**
 * @returns the request's own response, or the stored one with `Idempotent-Replayed: true`
 * @throws ValidationError if the key was used with another body, in another user's session, or with another token and a
 *   personal response; ForbiddenError if the caller lacks an ability that the first request needed
 */
export interface IdempotencyHandler {
  (request: IdempotentRequest, context: Context, handling: Handling): Promise<Response>;
  /** Whether a request with this key was handled before, so that its response is stored. */
  wasHandled(request: Pick<IdempotentRequest, 'method' | 'path' | 'key'>, context: Context): Promise<boolean>;
}

export const idempotencyKeyHeader = 'Idempotency-Key';
/** How often a request checks whether another process has finished the same request. */
const pollMs = 100;

/** The hash by which requests with the same key are compared. */
export const sha256 = (data: string | Uint8Array): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createHash('sha256').update(data).digest());

const keyError = (...problem: Problem): ValidationError => new ValidationError({ [idempotencyKeyHeader]: [problem] });

const keyLength = 'Must have 1 to 255 characters.';

/**
 * The key of a request that should be handled once; undefined for any other.
 * @throws ValidationError
 */
export function readIdempotencyKey({
  method,
  headersDistinct,
}: Pick<IncomingMessage, 'method' | 'headersDistinct'>): string | undefined {
  const [key, ...others] = headersDistinct[idempotencyKeyHeader.toLowerCase()] ?? [];
  if (method !== 'POST' || key === undefined) return undefined;
  if (others.length > 0) throw keyError('duplicate', 'Must be sent once.');
  if (key.length < 1) throw keyError('required', keyLength);
  if (key.length > 255) throw keyError('too_long', keyLength, { max: 255 });
  return key;
}

/** The replay policy of a response by its status. */
export function chooseReplayPolicyOfStatus({ status }: Pick<SentResponse, 'status'>): ReplayPolicy {
  if (status < 400) return 'done';
  return [401, 403, 412, 429].includes(status) || status >= 500 ? 'repeatable' : 'refused';
}

/**
 * Handles each request with a key in a transaction of its own. Its writes and its stored response are committed together, so
 * that a crash leaves both or neither, and the request can be sent again. (Writes of identity, such as a new token, are
 * committed separately. After a crash in between, a repeated request makes a second token, and nobody has the first.)
 *
 * Concurrent duplicates must not wait on a database connection, because many duplicates would use up the pool. In one
 * process they wait for the first of them. Across processes, each process polls for the advisory lock of the request.
 */
export function createIdempotencyHandler(encryption: Encryption): IdempotencyHandler {
  const storedResponses = createStoredResponses(encryption);
  const inProgress = new Map<string, Promise<unknown>>();

  /** The new response, or the stored one of a duplicate; undefined while another process handles the request. */
  const attempt = (
    id: Uint8Array<ArrayBuffer>,
    { body, requestId }: IdempotentRequest,
    context: Context,
    handling: Handling,
    identityOf: () => Identity,
  ): Promise<Response | StoredResponse | undefined> =>
    // Retried if the transaction fails by contention.
    context.transaction(
      async (whole) => {
        if (!(await whole.db.tryAdvisoryLock(`answer ${Buffer.from(id).toString('hex')}`))) return undefined;
        const stored = await storedResponses.find(whole, id);
        if (stored) return stored;
        const { response, replayPolicy, abilities, isPersonal } = await handleOrRollBack(
          whole,
          handling,
          identityOf(),
          requestId,
        );
        const userId = whole.session ? whole.user.id : null;
        const tokenId = isPersonal || abilities.length === 0 ? (whole.token?.id ?? null) : null;
        if (replayPolicy !== 'repeatable')
          await storedResponses.store(whole, id, { body, response, abilities, userId, tokenId });
        return toResponse(response);
      },
      { ...handling.limits, savepoints: true },
    );

  const getId = ({ method, path, key }: Pick<IdempotentRequest, 'method' | 'path' | 'key'>): Uint8Array<ArrayBuffer> =>
    sha256(JSON.stringify([method, path, key]));

  const handleOnce = async (request: IdempotentRequest, context: Context, handling: Handling): Promise<Response> => {
    const id = getId(request);
    const name = `${context.tenant.id} ${Buffer.from(id).toString('hex')}`;
    const wrapIdentity = rememberIdentityWrites(context.identity);
    const untilHandled = async (): Promise<Response | StoredResponse> => {
      for (;;) {
        const outcome = await attempt(id, request, context, handling, wrapIdentity);
        if (outcome) return outcome;
        await sleep(pollMs);
      }
    };
    for (;;) {
      const stored = await storedResponses.find(context, id);
      if (stored) return replay(stored, request, context);
      const duplicate = inProgress.get(name);
      if (duplicate) {
        await duplicate;
        continue;
      }
      const first = untilHandled().finally(() => inProgress.delete(name));
      inProgress.set(
        name,
        first.catch(() => {}),
      );
      const outcome = await first;
      return outcome instanceof Response ? outcome : replay(outcome, request, context);
    }
  };

  return Object.assign(handleOnce, {
    wasHandled: async (request: Pick<IdempotentRequest, 'method' | 'path' | 'key'>, context: Context) =>
      (await storedResponses.find(context, getId(request))) !== undefined,
  });
}

interface Handled {
  response: SentResponse;
  replayPolicy: ReplayPolicy;
  abilities: Ability[];
  /** Whether the response depends on the caller, beyond the caller's abilities. */
  isPersonal: boolean;
}

/** Handles a request in a savepoint, and rolls back its writes unless the policy is `done`. */
async function handleOrRollBack(
  whole: Context,
  { handle, replayPolicyOf, limits }: Handling,
  identity: Identity,
  requestId: string,
): Promise<Handled> {
  const abilities = new Set<Ability>();
  const rollback = new Error('The request was refused');
  let handled: Handled | undefined;
  try {
    await whole.transaction(
      async (inside) => {
        let isPersonal = false;
        const markPersonal = (): void => void (isPersonal = true);
        const may = (ability: Ability): boolean => {
          // Some responses omit what the caller is not allowed to see.
          if (inside.may(ability)) abilities.add(ability);
          else markPersonal();
          return inside.may(ability);
        };
        const response = await toSent(await handle({ ...inside, may, identity, markPersonal }), requestId);
        handled = { response, replayPolicy: replayPolicyOf(response), abilities: [...abilities], isPersonal };
        if (handled.replayPolicy !== 'done') throw rollback;
      },
      { ...limits, savepoints: true },
    );
  } catch (error) {
    if (error !== rollback) throw error;
  }
  if (!handled) throw new Error('The request was not handled');
  return handled;
}

function replay(stored: StoredResponse, request: IdempotentRequest, { session, user, token, may }: Context): Response {
  const { body, abilities, userId, tokenId = null } = stored;
  if (!Buffer.from(body).equals(request.body)) throw keyError('key_reused', 'Was used with another body.');
  if (userId !== null && !(session && user.id === userId)) throw keyError('key_reused', 'Was used by someone else.');
  if (tokenId !== null && token?.id !== tokenId) throw keyError('key_reused', 'Was used with another token.');
  for (const ability of abilities) if (!may(ability)) throw new ForbiddenError(ability);
  const response = toResponse(stored.response);
  response.headers.set('Idempotent-Replayed', 'true');
  return response;
}

/** The stored response includes its request id: the log has it, and the body of an error repeats it. */
async function toSent(response: Response, requestId: string): Promise<SentResponse> {
  const body = await response.text();
  response.headers.delete('content-length');
  return { status: response.status, headers: [...response.headers, ['x-request-id', requestId]], body };
}

const toResponse = ({ status, headers, body }: SentResponse): Response =>
  new Response(body === '' ? null : body, { status, headers });
