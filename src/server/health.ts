import { createServer, type Server } from 'node:http';
import type { Database } from '../database/database.ts';
import { respondJson, respondReady } from './http/responses.ts';

/** More than probes need, and less than would keep the worker from its jobs. */
const maxConnections = 50;

/** A server for /health/live and /health/ready alone, not yet listening: for a process that has no other. */
export function createHealthServer(readiness: Pick<Database, 'unready' | 'impaired'>): Server {
  const server = createServer({ requestTimeout: 10_000, maxHeaderSize: 8192 }, (request, response) => {
    response.setHeader('Cache-Control', 'no-store');
    if (request.url === '/health/live') respondJson(response, 200, { status: 'ok' });
    else if (request.url === '/health/ready') void respondReady(response, readiness);
    else response.writeHead(404).end();
  });
  server.maxConnections = maxConnections;
  return server;
}
