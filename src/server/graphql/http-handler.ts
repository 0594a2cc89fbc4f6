import type { IncomingMessage, ServerResponse } from 'node:http';
import { importLimits } from '../../../schema/bank-statements/import-statement.ts';
import { sessionToken } from '../auth/cookie.ts';
import { mayBeCsrf } from '../auth/csrf.ts';
import type { Credentials, RequestAdmission } from '../auth/request-admission.ts';
import type { Domain } from '../../domain.ts';
import type { AnswerMemory } from '../http/answer-memory.ts';
import type { WaitForTurn } from '../http/body-turns.ts';
import { withDeadline } from '../http/deadline.ts';
import { isForm } from '../http/multipart.ts';
import { idOf, type RequestLog } from '../http/request-log.ts';
import { setHeaders, type Answer } from '../http/responses.ts';
import { sendWhole } from '../http/send-whole.ts';
import { idempotencyKeyOf, type IdempotencyHandler } from '../../security/idempotency/idempotency.ts';
import { handleIdempotentGraphql } from './idempotent-graphql.ts';
import { accessKeys } from '../../notifications/access-endings.ts';
import type { Notifications } from '../../notifications/notifications.ts';
import { sendGraphqlError, toGraphqlError } from './error-response.ts';
import type { GraphqlHandler, GraphqlRequest } from './handler.ts';
import type { HttpTimeouts } from '../http/timeouts.ts';

export interface GraphqlHttpOptions {
  graphqlHandler: GraphqlHandler;
  domain: Domain;
  admission: RequestAdmission;
  idempotent: IdempotencyHandler;
  notifications: Notifications;
  requestLog: RequestLog;
  publicUrl: () => string;
  /** Answers a browser with GraphiQL. @returns whether it did */
  answerGraphiql: (request: IncomingMessage, response: ServerResponse) => boolean;
  answerMemory: AnswerMemory;
  bodyTurns: WaitForTurn;
  now: () => Date;
  timeouts: HttpTimeouts;
}

/** GraphQL over HTTP: admits a request, replays a repeated one, and executes any other. */
export function createGraphqlHttpHandler({
  graphqlHandler,
  domain,
  admission,
  idempotent,
  notifications,
  requestLog,
  publicUrl,
  answerGraphiql,
  answerMemory,
  bodyTurns,
  now,
  timeouts,
}: GraphqlHttpOptions): Answer {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const requestId = idOf(response);
    if (wantsGraphiql(request) && answerGraphiql(request, response)) return;
    const admit = async (signal: AbortSignal): Promise<void> => {
      const credentials = credentialsOf(request, publicUrl());
      const { headers, outcome, followed } = await admission.admit(credentials, signal);
      setHeaders(response, headers);
      if (followed) requestLog.follow(response, followed);
      if ('refusal' in outcome) return sendGraphqlError(response, outcome.refusal, requestId);
      requestLog.admitted(response);
      const { principal } = outcome;
      const { token } = principal;
      const answer = answerMemory.open(principal.tenant.id, response);
      answer.limit({ reads: !isForm(request.headers['content-type']), values: true }); // an import reads much
      const graphqlRequest: GraphqlRequest = {
        requestId,
        signal,
        context: domain.contextFor(principal, { notifications, requestId, signal, answer }),
        isStillAuthorized: () => admission.isStillAuthorized(credentials, principal),
        onAccessEnd: (end) => notifications.accessEndings.listen(accessKeys(principal), end),
        expiresInMs: token?.expiresAt ? token.expiresAt.getTime() - now().getTime() : null,
      };
      const key = idempotencyKeyOf(request);
      if (key === undefined) await graphqlHandler.handle(request, response, graphqlRequest);
      else
        await sendWhole(
          response,
          await handleIdempotentGraphql(graphqlHandler, idempotent, request, { key, bodyTurns, ...graphqlRequest }),
        );
    };
    const isImport = isForm(request.headers['content-type']);
    const mayTakeMs = isImport ? importLimits.timeout : timeouts.answerMs;
    try {
      await withDeadline(mayTakeMs, request, response, admit, { endsWithClient: isImport });
    } catch (error) {
      const refusal = toGraphqlError(error);
      if (refusal.status >= 500) requestLog.fault(response, error);
      sendGraphqlError(response, refusal, requestId);
    }
  };
}

/** The token in the header; else the session's cookie, with the requested tenant. */
function credentialsOf({ method = '', headers }: IncomingMessage, publicUrl: string): Credentials {
  const authorization = headers.authorization ?? null;
  const token = sessionToken(headers.cookie, publicUrl);
  if (authorization !== null || token === undefined) return { authorization };
  const tenantId = headers['x-tenant'];
  return {
    authorization,
    session: {
      token,
      tenantId: typeof tenantId === 'string' ? tenantId : null,
      mayBeCsrf: mayBeCsrf(method, headers, publicUrl),
    },
  };
}

/** A browser that opens the address gets GraphiQL, whose own requests need a token or a session. */
function wantsGraphiql({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && (headers.accept ?? '').includes('text/html');
}
