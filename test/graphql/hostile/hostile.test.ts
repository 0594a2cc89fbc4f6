import { afterAll, beforeAll, expect, it } from 'vitest';
import { startService, type Answer, type Integrator, type Service } from '../../harness.ts';
import { getChecks } from '../../../schema/graphql/plugins/authorization-and-validation.ts';
import { getCode, fromOurPage, signedIn, type Browser } from '../../identity/browser.ts';
import { fill } from '../../isolation/books.ts';
import { expectNoInternalError } from '../../rest/samples.ts';
import { hostileInput, collectIds, fieldOf, inputCount, type Ids } from './hostile-inputs.ts';
import { hostileDocument, type Hostile } from './hostile.ts';

// A short version of reliability/hostile-documents.test.ts.

/** These send thousands of documents. */
const long = { timeout: 300_000 };

let service: Service;
let tenants: { who: Integrator; ids: Ids }[];

beforeAll(async () => {
  service = await startService();
  const some = ['Acme', 'Globex', 'Initech', 'Umbrella'].map(async (name) => {
    const who = await service.integrator({ name });
    return { who, ids: collectIds(await fill(who)) };
  });
  tenants = await Promise.all(some);
});
afterAll(() => service.close());

/** Whether the document was rejected or answered. Fails on an internal error. */
async function fateOf(who: Sender, seed: number, { family, about, body, type }: Hostile): Promise<Fate> {
  const by: Record<string, string> =
    'token' in who ? { authorization: `Bearer ${who.token}` } : { ...fromOurPage, cookie: who.cookie ?? '' };
  const headers = { ...by, ...(type && { 'content-type': type }) };
  const answer: Answer = await service.request('POST', '/graphql', { body, headers });
  const errors: { extensions?: { code?: string } }[] = answer.body?.errors ?? [];
  const details = { seed, family, about };
  expect({
    ...details,
    status: answer.status,
    body: answer.body,
    codes: errors.map((e) => e.extensions?.code),
  }).toEqual({
    ...details,
    status: expect.toBeOneOf([200, 400, 413, 503]), // out of time, on a busy machine
    body: expect.any(Object),
    codes: expect.not.arrayContaining(['INTERNAL_SERVER_ERROR']),
  });
  return { about, is: answer.body.errors ? 'refused' : 'answered', codes: errors.map((e) => e.extensions?.code) };
}

type Sender = Pick<Integrator, 'token'> | Pick<Browser, 'cookie'>;

interface Fate {
  about: string | undefined;
  is: 'refused' | 'answered';
  codes: (string | undefined)[];
}

/** Sends the documents of the seeds below `count`. New documents of one tenant run in turn, so several tenants send. */
async function sendAll(count: number, make: (seed: number, ids: Ids) => Hostile): Promise<Fate[]> {
  const send = async ({ who, ids }: (typeof tenants)[number], first: number): Promise<Fate[]> => {
    const fates: Fate[] = [];
    for (let seed = first; seed < count; seed += tenants.length) fates.push(await fateOf(who, seed, make(seed, ids)));
    return fates;
  };
  return (await Promise.all(tenants.map(send))).flat();
}

it('hostile documents are answered, and cause no internal error', async () => {
  const fates = await sendAll(500, hostileDocument);
  expect([...new Set(fates.map(({ is }) => is))].toSorted()).toEqual(['answered', 'refused']);
  expectNoInternalError(service);
});

it('every input of every mutation and query, at and beyond its bounds, causes no internal error', long, async () => {
  const fates = await sendAll(inputCount, hostileInput);
  const answered = new Set(fates.filter(({ is }) => is === 'answered').map(({ about }) => about));
  // Some inputs are within their bounds, so that the code after the validation runs too.
  expect(answered.size).toBeGreaterThan(inputCount / 10);
  expectNoInternalError(service);
});

it('every input of fields that require a session causes no internal error in a session', long, async () => {
  const mutations = service.domain.schema.getMutationType()?.getFields() ?? {};
  const fields = Object.values(mutations)
    .filter(({ args, extensions }) => args.length > 0 && getChecks(extensions['pothosOptions']).inSession)
    .map(({ name }) => name);
  expect(fields.toSorted()).toEqual([
    'createApiToken',
    'inviteMember',
    'removeMember',
    'revokeApiToken',
    'revokeInvitation',
    'revokeSession',
    'updateApiToken',
  ]);
  // All first: the server closes a connection that is idle for seconds, just when the next request may be sent.
  const documents = Array.from({ length: 40 * inputCount }, (_, seed) => seed)
    .filter((seed) => fields.includes(fieldOf(seed)))
    .map((seed) => ({ seed, document: hostileInput(seed) }));
  const { browser } = await signedIn(service);
  const fates: Fate[] = [];
  for (const { seed, document } of documents) fates.push(await fateOf(browser, seed, document));
  expect(fates.flatMap(({ codes }) => codes)).not.toContain('FORBIDDEN');
  const answered = new Set(fates.filter(({ is }) => is === 'answered').map(({ about = '' }) => about.split(':', 1)[0]));
  expect([...answered], 'the others take one input alone, an address or the id of what there is').toEqual([
    'createApiToken',
  ]);
  const lengths = [1, 63, 64, 65, 243, 244, 245, 300].map((length) => `${'a'.repeat(length)}@b.example`);
  const odd = ["o'x@b.example", '"a b"@b.example', 'ä@b.example', 'A+b@B.EXAMPLE', '%00@b.example', 'a@b.example\0'];
  const invite = 'mutation ($email: String!) { inviteMember(email: $email) { link } }';
  const codes = [...lengths, ...odd].map(async (email) => getCode(await browser.graphql(invite, { email })));
  expect(new Set(await Promise.all(codes))).toEqual(new Set([undefined, 'VALIDATION_FAILED']));
  expectNoInternalError(service);
});
