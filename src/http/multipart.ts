import processRequest from 'graphql-upload/processRequest.mjs';
import { GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { CodedError } from '../../schema/errors.ts';

/** The longest file that can be uploaded. */
export const maxUpload = 64 * 1024 * 1024;

/** Whether a Content-Type says so. */
export const isForm = (contentType: string | null | undefined): boolean =>
  contentType?.startsWith('multipart/form-data') ?? false;

/**
 * Files by the GraphQL multipart request specification. Yoga's own reading would hold them in memory; this one streams
 * them past a temporary file. A form of another site can't use it: browsers send none with the header that is asked for.
 */
export function useMultipart(): Plugin {
  return {
    // To Yoga a form comes without its body: it would hold all of that back to count it, and refuse more than 25 MB.
    onRequest: ({ request, fetchAPI, setRequest }) => {
      if (!isForm(request.headers.get('content-type'))) return;
      const headers = new fetchAPI.Headers(request.headers);
      headers.delete('content-length');
      const { url, method, signal } = request;
      setRequest(new fetchAPI.Request(url, { method, headers, signal }));
    },
    onRequestParse: ({ request, serverContext, setRequestParser }) => {
      if (!isForm(request.headers.get('content-type'))) return;
      setRequestParser(async () => {
        if (!request.headers.has('authorization') && !request.headers.has('graphql-require-preflight')) {
          throw new CodedError('FORBIDDEN', 'An upload must carry the header GraphQL-Require-Preflight.');
        }
        const { req, res } = serverContext as unknown as { req: IncomingMessage; res: ServerResponse };
        // A broken file is refused as soon as that is known. Browsers hear of it only once they could send the rest.
        res.once('finish', () => req.unpipe().resume());
        // One byte more, as a file that is just as long as allowed would be cut off, too.
        const options = { maxFileSize: maxUpload + 1, maxFiles: 1 };
        try {
          return (await processRequest(req, res, options)) as GraphQLParams;
        } catch (error) {
          throw asBadRequest(error);
        }
      });
    },
  };
}

/** What is wrong with a form, told as what is wrong with JSON is. Faults of ours stay as they are. */
function asBadRequest(error: unknown): unknown {
  if (!(error instanceof Error) || 'code' in error) return error; // the system's have a code
  const http = { status: 'status' in error ? Number(error.status) : 400 };
  return new GraphQLError(error.message, { extensions: { code: 'BAD_REQUEST', http } });
}
