import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client';
import type { Answer, Service } from '../harness.ts';

/** The official client, connected. With `earlier`, it uses the protocol's revision of 2025. */
export async function connectClient(
  service: Pick<Service, 'url'>,
  token: string,
  { earlier = false } = {},
): Promise<Client> {
  const client = new Client(
    { name: 'tests', version: '1' },
    { versionNegotiation: { mode: earlier ? 'legacy' : 'auto' } },
  );
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', service.url), { requestInit }));
  return client;
}

// JSON from the server: the tests check its shape.
// eslint-disable-next-line typescript/no-explicit-any
export type Json = any;

/** Calls a tool. @returns its structured content; throws that of an error */
export async function use(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Json> {
  const result = (await client.callTool({ name, arguments: args })) as CallToolResult;
  if (result.isError) throw new Error(JSON.stringify(result.structuredContent));
  return result.structuredContent;
}

/** Calls a tool that refuses. @returns the error */
export async function refusal(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Json> {
  const result = (await client.callTool({ name, arguments: args })) as CallToolResult;
  if (!result.isError) throw new Error(`${name} was not refused: ${JSON.stringify(result)}`);
  return result.structuredContent;
}

/** The headers that every client sends along. */
export const common = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

/** Sends one message as it is, or a text. */
export const send = (
  service: Pick<Service, 'request'>,
  token: string | undefined,
  message: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  service.request('POST', '/mcp', {
    body: message,
    headers: { ...common, ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
  });

export const request = (method: string, params: object = {}): object => ({ jsonrpc: '2.0', id: 1, method, params });

/** A tool's call as one message. */
export const calling = (name: string, args: unknown = {}): object => request('tools/call', { name, arguments: args });
