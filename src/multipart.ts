import processRequest from 'graphql-upload/processRequest.mjs';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { CodedError } from '../schema/errors.ts';

/** The longest file that can be uploaded. */
export const maxUpload = 64 * 1024 * 1024;

/**
 * Files by the GraphQL multipart request specification. Yoga's own reading would hold them in memory; this one streams
 * them past a temporary file. A form of another site can't use it: browsers send none with the header that is asked for.
 */
export function useMultipart(): Plugin {
  return {
    onRequestParse: ({ request, serverContext, setRequestParser }) => {
      if (!request.headers.get('content-type')?.startsWith('multipart/form-data')) return;
      setRequestParser(async () => {
        if (!request.headers.has('authorization') && !request.headers.has('graphql-require-preflight')) {
          throw new CodedError('FORBIDDEN', 'An upload must carry the header GraphQL-Require-Preflight.');
        }
        const { req, res } = serverContext as unknown as { req: IncomingMessage; res: ServerResponse };
        const options = { maxFileSize: maxUpload, maxFiles: 1 };
        return (await processRequest(req, res, options)) as GraphQLParams;
      });
    },
  };
}
