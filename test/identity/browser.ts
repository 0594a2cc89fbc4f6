import { randomUUID } from 'node:crypto';
import { createTenant, createUser } from '../../src/identity/index.ts';
import type { Answer, Service } from '../harness.ts';

export const password = 'correct horse battery staple';

/** What a browser sends with a request that one of our own pages makes. */
export const fromOurPage = { 'sec-fetch-site': 'same-origin', 'x-requested-with': 'kontor' };

/** A browser: it keeps the cookie it is given and sends it along. */
export interface Browser {
  cookie: string | undefined;
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  signIn(email: string, withPassword?: string): Promise<Answer>;
  graphql(query: string, variables?: object, tenantId?: string): Promise<Answer>;
}

export function openBrowser(service: Pick<Service, 'request'>): Browser {
  const browser: Browser = {
    cookie: undefined,
    request: async (method, path, body, headers = {}) => {
      const cookie = browser.cookie && { cookie: browser.cookie };
      const answer = await service.request(method, path, { body, headers: { ...fromOurPage, ...cookie, ...headers } });
      const [set] = answer.headers.getSetCookie();
      if (set) browser.cookie = /Max-Age=0/.test(set) ? undefined : set.split(';', 1)[0];
      return answer;
    },
    signIn: (email, withPassword = password) =>
      browser.request('POST', '/api/auth/sign-in/email', { email, password: withPassword }),
    graphql: (query, variables, tenantId) =>
      browser.request('POST', '/graphql', { query, variables }, tenantId ? { 'x-tenant': tenantId } : {}),
  };
  return browser;
}

export interface Person {
  userId: string;
  email: string;
}

/** Someone who can sign in, a member of these tenants; of a new one when none is named. */
export async function someone({ client }: Service, ...tenantIds: string[]): Promise<Person & { tenantId: string }> {
  const email = `${randomUUID()}@example.com`;
  const [tenantId = (await createTenant(client, { name: 'Acme' })).id, ...others] = tenantIds;
  const { id: userId } = await createUser(client, { email, name: 'Ada', password, tenantId });
  for (const other of others) await createUser(client, { email, tenantId: other });
  return { userId, email, tenantId };
}

/** Someone who has signed in. */
export async function signedIn(service: Service, ...tenantIds: string[]) {
  const person = await someone(service, ...tenantIds);
  const browser = openBrowser(service);
  const { status } = await browser.signIn(person.email);
  if (status !== 200) throw new Error(`Signing in was answered ${status}`);
  return { ...person, browser };
}
