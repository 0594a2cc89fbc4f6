import { Agent, request } from 'node:http';

interface Received {
  status: number;
  headers: Headers;
  text: string;
}

/** Connections are used again, as by fetch(). One that is not used doesn't keep a process alive. */
const agent = new Agent({ keepAlive: true });
const decoder = new TextDecoder();

/**
 * Sends a request whose answer is short, as fetch() does, for a third of the CPU time. It reads no streams, asks for no
 * compressed answer, and doesn't follow redirections.
 */
export const sendRequest = (
  url: URL,
  method: string,
  headers: Record<string, string>,
  body: string | undefined,
): Promise<Received> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { agent, method, headers: { accept: '*/*', 'user-agent': 'node', ...headers } });
    sent.once('error', reject);
    sent.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const { statusCode = 0, rawHeaders } = response;
        const received = new Headers();
        for (let at = 0; at < rawHeaders.length; at += 2)
          received.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
        resolve({ status: statusCode, headers: received, text: decoder.decode(Buffer.concat(chunks)) });
      });
    });
    // Bytes, as Node writes headers together with text in the encoding of the text.
    sent.end(body === undefined ? undefined : Buffer.from(body));
  });
