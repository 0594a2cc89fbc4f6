import type { Handler } from '../http/responses.ts';
import type { McpHttpOptions } from './http-handler.ts';

/** The handler of /mcp. Its SDK is loaded at the first request, because a service without agents need not spend that memory. */
export function createMcpHandlerOnDemand(options: McpHttpOptions): Handler {
  let handler: Promise<Handler> | undefined;
  const load = async (): Promise<Handler> => {
    const { createMcpHttpHandler } = await import('./http-handler.ts');
    return createMcpHttpHandler(options);
  };
  return async (request, response) => {
    handler ??= load();
    return (await handler)(request, response);
  };
}
