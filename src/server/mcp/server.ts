import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type Tool,
} from '@modelcontextprotocol/server';
import type { AdmittedRequest } from '../auth/request-admission.ts';
import { version } from '../../../schema/version.ts';
import { abilities } from '../../../schema/graphql/ability.ts';
import { callTool, type CallToolOptions, type McpCall } from './call-tool.ts';
import type { ReadResources } from './resources.ts';
import type { AnyTool } from './tools.ts';

export interface McpServerOptions extends CallToolOptions {
  tools: () => ReadonlyMap<string, AnyTool>;
  readResources: ReadResources;
}

const instructions =
  'Invoicing and bookkeeping of one tenant. Amounts are exact decimals; dates are YYYY-MM-DD. Lists come in pages, newest first. An issued invoice never changes. Give an idempotency_key to whatever you may have to repeat. The resources are the guides and the schema.';

type Context = AdmittedRequest['context'];

/**
 * A server for one message: nothing is kept between messages, so that any process can answer each. The SDK's more
 * comfortable server would make a validator for each tool at each message, and the arguments' rules are REST's.
 */
export function createMcpServer(call: McpCall, options: McpServerOptions): Server {
  const info = { name: 'kontor', title: 'Kontor', version };
  const server = new Server(info, { capabilities: { tools: {}, resources: {} }, instructions });
  const { context } = call.admitted;

  server.setRequestHandler('tools/list', () => ({ tools: visibleTools(options.tools(), context) }));
  server.setRequestHandler('tools/call', ({ params: { name } }) => {
    const tool = options.tools().get(name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no tool of this name.');
    // A tool that the token may not use is refused as the request would be, which names the ability that is missing.
    return callTool(tool, call, options);
  });
  server.setRequestHandler('resources/list', () => ({
    resources: [...options.readResources().values()].map(({ resource }) => resource),
  }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    const found = options.readResources().get(uri);
    if (!found) throw new ResourceNotFoundError(uri.slice(0, 200));
    return { contents: [{ uri, mimeType: found.resource.mimeType ?? 'text/plain', text: found.text }] };
  });
  return server;
}

/** The tools that a token's abilities allow. Which fields GraphQL allows is GraphQL's to say. */
function visibleTools(tools: ReadonlyMap<string, AnyTool>, { may }: Context): Tool[] {
  const mayChange = abilities.some((ability) => ability.endsWith(':write') && may(ability));
  return [...tools.values()]
    .filter((each) => (each.api === 'rest' && each.ability ? may(each.ability) : each.method === 'GET' || mayChange))
    .map(({ tool }) => tool);
}
