import type { GraphQLParams, Plugin } from 'graphql-yoga';
import type { IncomingMessage } from 'node:http';
import type { Holder } from '../../../prisma/client.ts';
import type { Ability } from '../../../schema/graphql/ability.ts';
import type { Context } from '../../../schema/graphql/context.ts';
import type { AdmittedRequest } from '../auth/request-admission.ts';
import { CodedError, ForbiddenError } from '../../../schema/errors/errors.ts';
import { ConcurrencyLimiter } from '../../../schema/graphql/execution/concurrency-limiter.ts';
import { isForm, receiveForm, type Form } from '../http/multipart.ts';

/** The limit of a tenant's uploads in progress, in each process: 68 MiB of disk each. */
export const maxUploadsOfTenant = 4;
/** The longest file, in bytes, that doesn't wait for longer ones. It is read and written in a second or two. */
const smallFile = 64 * 1024;
/** Seconds after which a refused upload should be retried. */
const retryAfter = 10;

/** Uploads are bank statements, imports, and logos. The mutation checks which of these abilities its own kind needs. */
const abilities = [
  'bank-transactions:write',
  'customers:write',
  'invoices:write',
  'receipts:write',
  'projects:write',
  'time-entries:write',
  'company:write',
] as const satisfies Ability[];

/** The received forms by their requests, for useUploads(). */
export interface ReceivedForm {
  form?: Form;
}

export interface Uploads {
  /**
   * Receives a form, and then does its work. First it checks everything that is known without the body. Then it receives the
   * form, which only takes disk space. Then the forms of a tenant are processed one after the other: its small files, and
   * beside them its others. The upload's slot is free before the response is sent, so that the client can send the next form.
   * @throws CodedError, TransportError
   */
  receive: <Result>(
    request: IncomingMessage,
    admitted: Pick<AdmittedRequest, 'context' | 'confirmAccess'>,
    work: (form: Form) => Promise<Result>,
  ) => Promise<Result>;
}

export function createUploads(): Uploads {
  const holders = new Map<Holder, { forms: number; small: ConcurrencyLimiter; large: ConcurrencyLimiter }>();
  return {
    receive: async (request, { context, confirmAccess }, work) => {
      check(request, context);
      const holder = context.tenant.holder;
      const own = holders.get(holder) ?? {
        forms: 0,
        small: new ConcurrencyLimiter(1),
        large: new ConcurrencyLimiter(1),
      };
      if (own.forms === maxUploadsOfTenant) {
        const message = `At most ${maxUploadsOfTenant} uploads of a tenant at a time.`;
        throw new CodedError('RATE_LIMITED', message, { retryAfter });
      }
      holders.set(holder, own);
      own.forms += 1;
      try {
        const form = await receiveForm(request);
        try {
          return await own[form.size <= smallFile ? 'small' : 'large'].run(async () => {
            await confirmAccess();
            return work(form);
          });
        } finally {
          await form.discard();
        }
      } finally {
        own.forms -= 1;
        if (own.forms === 0) holders.delete(holder);
      }
    },
  };
}

/** CSRF protection for forms: requires one of these headers, which pages of other sites can't send without a preflight. */
const headersOfOurs = ['authorization', 'graphql-require-preflight', 'x-requested-with'];

function check({ headers }: IncomingMessage, context: Context): void {
  if (headersOfOurs.every((name) => headers[name] === undefined))
    throw new CodedError('FORBIDDEN', 'An upload must carry the header GraphQL-Require-Preflight.');
  if (!abilities.some((ability) => context.may(ability))) throw new ForbiddenError(abilities[0]);
}

/** Passes a form's fields to Yoga. Yoga gets the request without its body, which it would keep in memory as a whole. */
export function useUploads(): Plugin<object, ReceivedForm> {
  return {
    onRequest: ({ request, fetchAPI, setRequest }) => {
      if (!isForm(request.headers.get('content-type'))) return;
      const headers = new fetchAPI.Headers(request.headers);
      headers.delete('content-length');
      const { url, method, signal } = request;
      setRequest(new fetchAPI.Request(url, { method, headers, signal }));
    },
    onRequestParse: ({ serverContext, setRequestParser }) => {
      const { form } = serverContext as unknown as ReceivedForm;
      if (form) setRequestParser(() => form.params as GraphQLParams);
    },
  };
}
