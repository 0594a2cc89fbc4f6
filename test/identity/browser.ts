import { randomInt, randomUUID } from 'node:crypto';
import { addExistingUser, createTenant, createUser } from '../../src/identity/index.ts';
import type { Answer, Service } from '../harness.ts';

export const password = 'correct horse battery staple';

/** The headers that a browser sends with a request of one of our own pages. */
export const fromOurPage = { 'sec-fetch-site': 'same-origin', 'x-requested-with': 'kontor' };

/** A browser: it keeps the cookie it is given and sends it along. Each has an address of its own, as a proxy tells it. */
export interface Browser {
  cookie: string | undefined;
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  signIn(email: string, withPassword?: string): Promise<Answer>;
  graphql(query: string, variables?: object, tenantId?: string): Promise<Answer>;
}

export function openBrowser(service: Pick<Service, 'request'>): Browser {
  const address = `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`;
  const browser: Browser = {
    cookie: undefined,
    request: async (method, path, body, headers = {}) => {
      const cookie = browser.cookie && { cookie: browser.cookie };
      const sent = { ...fromOurPage, 'x-forwarded-for': address, ...cookie, ...headers };
      const answer = await service.request(method, path, { body, headers: sent });
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
  /** Joined first. */
  tenantId: string;
}

/** Makes a user who can sign in: a member of these tenants, by default of a new one. */
export async function makeUser({ client }: Pick<Service, 'client'>, ...tenantIds: string[]): Promise<Person> {
  const email = `${randomUUID()}@example.com`;
  const [tenantId = (await createTenant(client, { name: 'Acme' })).id, ...others] = tenantIds;
  const { id: userId } = await createUser(client, { email, name: 'Ada', password, tenantId });
  for (const other of others) await addExistingUser(client, { email, tenantId: other });
  return { userId, email, tenantId };
}

/** Someone who has signed in. */
export async function signedIn(service: Service, ...tenantIds: string[]): Promise<Person & { browser: Browser }> {
  const person = await makeUser(service, ...tenantIds);
  return { ...person, browser: await enter(service, person) };
}

/** One more browser in which a person has signed in. */
export async function enter(service: Service, { email }: Pick<Person, 'email'>): Promise<Browser> {
  const browser = openBrowser(service);
  const { status } = await browser.signIn(email);
  if (status !== 200) throw new Error(`Signing in was answered ${status}`);
  return browser;
}

/** The code a GraphQL request is refused by; undefined when it is answered. */
export const getCode = ({ body }: Answer): string | undefined => body.errors?.[0].extensions.code;
