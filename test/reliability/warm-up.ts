import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';

/** Requests to each process: a new connection goes to the next process. */
const rounds = 3;

const paths: [method: string, path: string, body?: string][] = [
  ['GET', '/api/v1/customers?per_page=1'],
  ['GET', '/api/v1/events?per_page=1'],
  [
    'POST',
    '/graphql',
    JSON.stringify({ query: '{ events(first: 1) { nodes { body json } } company { logo { base64 } } }' }),
  ],
];

/** Lets every process load its code and open its connections, so that an attack isn't measured on a starting service. */
export async function warmUp(url: string, token: string, processes: number): Promise<void> {
  for (const [method, path, body] of paths)
    for (let count = 0; count < rounds * processes; count += 1) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const sent = request(url + path, { method, agent: false, headers }).end(body);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.resume();
      await once(response, 'end');
    }
}
