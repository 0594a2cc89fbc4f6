import type { ServerResponse } from 'node:http';

/** Sends an answer once all of it is there. */
export async function sendWhole(response: ServerResponse, answer: Response): Promise<void> {
  const body = Buffer.from(await answer.arrayBuffer());
  response.statusCode = answer.status;
  for (const [name, value] of answer.headers) response.setHeader(name, value);
  response.end(body);
}
