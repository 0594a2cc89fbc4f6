import type { ServerResponse } from 'node:http';

/** Sends a response once all of it is there. */
export async function sendWhole(to: ServerResponse, response: Response): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  to.statusCode = response.status;
  for (const [name, value] of response.headers) to.setHeader(name, value);
  to.end(body);
}
