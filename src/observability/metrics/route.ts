import { routes } from '../../../rest-shim/routes.ts';

const base = '/api/v1';
const templates = new Set<string>(routes.map(([, path]) => path));
const exact = new Map([
  ['/graphql', 'graphql'],
  ['/mcp', 'mcp'],
  ['/health/live', 'health'],
  ['/health/ready', 'health'],
  ['/metrics', 'metrics'],
  [`${base}/openapi.json`, 'file'],
  ['/schema.graphql', 'file'],
]);
const methods = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']);

/**
 * The labels of a request: the API, and the route's template. Never the request's own path: it may contain ids, and
 * clients could create any number of time series.
 */
export function findRoute(path: string): { api: string; route: string } {
  const api = exact.get(path);
  if (api) return { api, route: path };
  if (path.startsWith(`${base}/`) || path === base) return { api: 'rest', route: restRoute(path.slice(base.length)) };
  if (path.startsWith('/api/auth/')) return { api: 'auth', route: '/api/auth/*' };
  return { api: 'page', route: '*' };
}

function restRoute(path: string): string {
  if (templates.has(path)) return base + path;
  const [, collection = '', id, ...action] = path.split('/', 5);
  const template = `/${[collection, ...(id === undefined ? [] : [':id']), ...action].join('/')}`;
  return templates.has(template) ? base + template : 'other';
}

export const getMethod = (method: string | undefined): string => (method && methods.has(method) ? method : 'other');
