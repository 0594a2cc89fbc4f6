import { getNamedType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { abilities as everything, abilityScopes, type Ability } from '../../../schema/graphql/ability.ts';
import { getChecks } from '../../../schema/graphql/plugins/authorization-and-validation.ts';
import { resources } from '../../../schema/resource-list.ts';
import { toSchema } from '../../../schema/index.ts';
import { createToken } from '../../../src/identity/index.ts';
import { asIntegrator, startService, type Answer, type Integrator, type Service } from '../../harness.ts';
import { startTestTenant } from '../../test-tenants/make.ts';
import { makeCustomer, makeInvoice, makePayment, makeProject, makeReceipt, makeTimeEntry, refusal } from '../books.ts';
import {
  argumentsFor,
  documentFor,
  inputAt,
  isRecursive,
  leadsTo,
  listPaths,
  listPlaces,
  type Place,
} from '../questions.ts';

let service: Service;
let acme: Integrator;
let testTenant: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  testTenant = await startTestTenant(service, acme);
});
afterAll(() => service.close());

const places = listPlaces(toSchema());
const abilityOf = ({ field }: Place): Ability | undefined => getChecks(field.extensions['pothosOptions']).ability;
const isForSessions = ({ field }: Place): boolean => getChecks(field.extensions['pothosOptions']).inSession === true;

/** An integrator of a tenant with these abilities. */
async function withAbilitiesIn(tenant: Integrator, ...abilities: string[]): Promise<Integrator> {
  const name = [tenant.tenantId, ...abilities].join();
  let token = tokens.get(name);
  if (!token) tokens.set(name, (token = createToken(service.client, { tenantId: tenant.tenantId, abilities })));
  const made = await token;
  return asIntegrator(service, { ...tenant, token: made.token, tokenId: made.id });
}

/** The same of Acme. */
const withAbilities = (...abilities: string[]): Promise<Integrator> => withAbilitiesIn(acme, ...abilities);

/** Integrators by their abilities. They are reused, as a user's tokens are limited. */
const tokens = new Map<string, ReturnType<typeof createToken>>();

/** `TimeEntry` or its connection: `time-entries`. */
function resourceOf(typeName: string): string | undefined {
  const name = typeName
    .replace(/Connection$/, '')
    .replaceAll(/(?<!^)[A-Z]/g, (letter) => `-${letter}`)
    .toLowerCase();
  return abilityScopes.find((resource) => resource === `${name}s` || resource === name.replace(/y$/, 'ies'));
}

describe('abilities in the schema', () => {
  // Each field of the overview requires its own ability. The ability for a payment depends on what it pays (see below), for a
  // node on its type (nodes.test.ts), and for changes on their resources (changes/feed.test.ts). `importKinds` answers nothing of a tenant.
  const exempt = [
    'Query.me',
    'Query.overview',
    'Query.node',
    'Query.nodes',
    'Query.changes',
    'Query.importKinds',
    'Mutation.updatePayment',
    'Mutation.reversePayment',
  ];

  it('are required by every root field except `me`, `overview`, and fields that require a session', () => {
    const roots = places.filter((place) => place.operation && !isForSessions(place));
    const without = roots
      .filter((place) => !abilityOf(place))
      .map(({ parent, field }) => `${parent.name}.${field.name}`);
    expect(without).toEqual(exempt);
    for (const place of roots) {
      const ability = abilityOf(place);
      if (ability) expect(ability).toMatch(place.operation === 'mutation' ? /:write$/ : /:read$/);
    }
  });

  // Types that belong to a resource but are none.
  const belongsTo: Record<string, string> = { Delivery: 'webhooks', WebhookWithSecret: 'webhooks' };

  it('are required by every field of another resource', () => {
    const leading = places.filter(({ operation, parent, field }) => {
      const target = resourceOf(getNamedType(field.type).name);
      const own = belongsTo[parent.name] ?? resourceOf(parent.name.replace(/Edge$/, ''));
      return !operation && target && target !== own;
    });
    expect(leading.length).toBeGreaterThan(8);
    for (const place of leading) {
      const { parent, field } = place;
      expect(`${parent.name}.${field.name}: ${abilityOf(place)}`).toBe(
        `${parent.name}.${field.name}: ${resourceOf(getNamedType(field.type).name)}:read`,
      );
    }
  });
});

const isNeeded = ({ field }: Place, path: string[]): boolean =>
  path.length > 1 || String(field.args.find(({ name }) => name === path[0])?.type).endsWith('!');

/** A request with a file, by the GraphQL multipart request specification. */
async function upload(who: Integrator, query: string, variables: object): Promise<Pick<Answer, 'body'>> {
  const form = new FormData();
  form.set('operations', JSON.stringify({ query, variables }));
  form.set('map', JSON.stringify({ file: ['variables.file'] }));
  form.set('file', new File(['nothing'], 'statement.xml'));
  const headers = { authorization: `Bearer ${who.token}` };
  const response = await fetch(`${service.url}/graphql`, { method: 'POST', body: form, headers });
  return { body: await response.json() };
}

const unknown = '01980000-0000-7000-8000-000000000000';

describe('fields for sessions only, which create tokens and members,', () => {
  const forSessions = places.filter(isForSessions).map((place) => ({ place, name: place.field.name }));

  it('are all declared', () => {
    const nouns = /^abilities$|^apiTokenLimits$|tokens?$|sessions?$|members?$|invitations?$/i;
    const roots = places.filter(({ operation, field }) => operation && nouns.test(field.name));
    expect(forSessions.map(({ name }) => name)).toEqual(roots.map(({ field }) => field.name));
    expect(forSessions).toHaveLength(14);
  });

  it.each(forSessions)('$name is forbidden to a token with all abilities', async ({ place }) => {
    const args = argumentsFor(place.field.args, (path) => (/id$/i.test(path.at(-1)!) ? unknown : undefined));
    expect(refusal(await acme.graphqlAnswer(documentFor(place, args), args)).code).toBe('FORBIDDEN');
  });
});

describe('a request beyond a token’s abilities is forbidden', () => {
  const demanding = places
    .filter((place) => place.operation && abilityOf(place))
    .map((place) => ({ place, name: place.field.name, ability: abilityOf(place)! }));
  const question = (place: Place): [string, object] => {
    const args = argumentsFor(place.field.args, (path) =>
      /ids?$/i.test(path.at(-1)!) && isNeeded(place, path) ? unknown : undefined,
    );
    return [documentFor(place, args), args];
  };

  /** Further abilities of fields that show other resources. single-abilities.test.ts tests the others. */
  const shows: Record<string, Ability[]> = {
    billProject: ['projects:read', 'time-entries:read'],
    importInvoices: ['customers:read'],
    importProjects: ['customers:read'],
    importReceipts: ['customers:read', 'projects:read'],
    importTimeEntries: ['projects:read'],
    periodLockCheck: ['invoices:read', 'receipts:read', 'bank-transactions:read'],
    ecSales: ['customers:read'],
    ecSalesDocuments: ['customers:read'],
    openItems: ['customers:read'],
    payment: ['receipts:read'],
    payments: ['receipts:read'],
    profitAndLoss: ['receipts:read'],
    profitAndLossDocuments: ['receipts:read'],
    vatReport: ['receipts:read'],
    vatReportDocuments: ['receipts:read'],
    createExport: [
      'invoices:read',
      'receipts:read',
      'customers:read',
      'bank-transactions:read',
      'company:read',
      'audit:read',
    ],
    simulateBankTransaction: ['invoices:read'],
    createWebhook: abilityScopes.map((resource): Ability => `${resource}:read`),
  };

  it.each(demanding)(
    '$name requires $ability, and the abilities of the resources it shows',
    async ({ name, place, ability }) => {
      const [, action] = ability.split(':');
      const codeFor = async (...abilities: string[]): Promise<string | undefined> => {
        // The books of a business refuse it to everybody.
        const who = await withAbilitiesIn(name === 'simulateBankTransaction' ? testTenant : acme, ...abilities);
        const [query, args] = question(place);
        const answer = 'file' in args ? await upload(who, query, args) : await who.graphqlAnswer(query, args);
        return answer.body.errors && refusal(answer).code;
      };
      expect(await codeFor(...everything.filter((each) => each !== ability))).toBe('FORBIDDEN');
      expect(await codeFor(action === 'read' ? 'write' : 'read')).toBe('FORBIDDEN');
      for (const enough of ['*', action!, ability])
        expect(await codeFor(enough, ...(shows[name] ?? []))).not.toBe('FORBIDDEN');
    },
  );

  // The result of a filter by related rows tells something about these rows, so the filter needs their abilities.
  const filtered = places
    .filter(({ operation, field }) => operation === 'query' && field.args.some(({ name }) => name === 'filter'))
    .map((place) => ({ place, name: place.field.name }));

  it.each(filtered)('$name: a filter by related rows requires their abilities', async ({ place }) => {
    const { args } = place.field;
    const modelAt = (path: string[]): string => getNamedType(inputAt(args, path).type).name.replace(/Filter$/, '');
    const isRelated = (path: string[]): boolean => !['filter', 'and', 'or'].includes(path.at(-1)!);
    const filters = listPaths(args).filter(
      (path) => path[0] === 'filter' && isRecursive(getNamedType(inputAt(args, path).type)),
    );
    const own = abilityOf(place)!;
    for (const path of filters.filter(isRelated)) {
      const related = path
        .map((_, at) => path.slice(0, at + 1))
        .filter((each) => isRelated(each))
        .map((each) => `${resources.find(({ model }) => model === modelAt(each))?.scope}:read`);
      const needed = [...new Set([own, ...related, ...(shows[place.field.name] ?? [])])];
      const given = argumentsFor(args, (at) => {
        if (at.at(-1) === '…') return leadsTo(at.slice(0, -1), path);
        return at.join() === path.join() ? { id: { neq: unknown } } : undefined;
      });
      const codeFor = async (abilities: string[]): Promise<unknown> => {
        const { body } = await (await withAbilities(...abilities)).graphqlAnswer(documentFor(place, given), given);
        return body.errors?.[0].extensions.code;
      };
      expect({ path, needed, code: await codeFor(needed) }).toEqual({ path, needed, code: undefined });
      for (const ability of needed) {
        const code = await codeFor(everything.filter((each) => each !== ability));
        expect({ path, without: ability, code }).toEqual({ path, without: ability, code: 'FORBIDDEN' });
      }
    }
    if (place.field.name.startsWith('invoices')) expect(filters.filter(isRelated)).toHaveLength(1);
  });

  it('and changes nothing', async () => {
    const reader = await withAbilities('read');
    const id = await makeCustomer(acme);
    const answer = await reader.graphqlAnswer(`mutation { deleteCustomer(id: "${id}") { id } }`);
    expect(refusal(answer).code).toBe('FORBIDDEN');
    expect(await acme.db.customer.findFirst({ where: { id } })).not.toBeNull();
  });

  it('updatePayment and reversePayment require the ability to write the paid resource', async () => {
    const [invoices, receipts] = [await withAbilities('invoices:write'), await withAbilities('receipts:write')];
    const undo = 'mutation ($id: UUID!) { reversePayment(id: $id, reason: "Wrong") { id } }';
    const ofInvoice = { id: await makePayment(acme, await makeInvoice(acme, { status: 'ISSUED' })) };
    const receipt = await makeReceipt(acme, { status: 'BOOKED' });
    const { payReceipt } = await receipts.graphql(
      'mutation ($id: UUID!) { payReceipt(id: $id) { payments { nodes { id } } } }',
      {
        id: receipt,
      },
    );
    const [ofReceipt] = payReceipt.payments.nodes;
    const update = 'mutation ($id: UUID!) { updatePayment(id: $id, input: { externalId: "x" }) { id } }';
    for (const document of [update, undo]) {
      expect(refusal(await receipts.graphqlAnswer(document, ofInvoice)).message).toBe(
        'This token lacks the ability invoices:write.',
      );
      expect(refusal(await invoices.graphqlAnswer(document, ofReceipt)).message).toBe(
        'This token lacks the ability receipts:write.',
      );
    }
    expect(await invoices.graphql(update, ofInvoice)).toEqual({ updatePayment: ofInvoice });
    expect(await invoices.graphql(undo, ofInvoice)).toEqual({ reversePayment: ofInvoice });
    expect(await receipts.graphql(undo, ofReceipt)).toEqual({ reversePayment: ofReceipt });
  });
});

describe('over both APIs', () => {
  it('`read` reads, `write` writes, `*` does both', async () => {
    const id = await makeCustomer(acme);
    const outcome = async (...abilities: string[]) => {
      const who = await withAbilities(...abilities);
      const body = { city: 'Bonn' };
      const update = `mutation { updateCustomer(id: "${id}", input: { city: "Bonn" }) { id } }`;
      const ok = async (query: string) => ((await who.graphqlAnswer(query)).body.errors === undefined ? 200 : 403);
      return [
        (await who.rest('GET', `/customers/${id}`)).status,
        await ok(`{ customer(id: "${id}") { id } }`),
        (await who.rest('PATCH', `/customers/${id}`, body)).status,
        await ok(update),
        (await who.rest('GET', '/me')).status,
        await ok('{ me { token { abilities } } }'),
      ];
    };
    expect(await outcome('*')).toEqual([200, 200, 200, 200, 200, 200]);
    expect(await outcome('read')).toEqual([200, 200, 403, 403, 200, 200]);
    expect(await outcome('write')).toEqual([403, 403, 200, 200, 200, 200]);
    expect(await outcome('customers:read')).toEqual([200, 200, 403, 403, 200, 200]);
    expect(await outcome('customers:write')).toEqual([403, 403, 200, 200, 200, 200]);
    expect(await outcome('read', 'customers:write')).toEqual([200, 200, 200, 200, 200, 200]);
    expect(await outcome('invoices:read', 'projects:write')).toEqual([403, 403, 403, 403, 200, 200]);
  });

  it('a nested field is forbidden without its resource’s ability, and answered with it', async () => {
    const customerId = await makeCustomer(acme, { city: 'Bonn' });
    await makeInvoice(acme, { customerId });
    const project = await makeProject(acme, { customerId });
    await makeTimeEntry(acme, { projectId: project });
    const questions: [string, string, string][] = [
      ['invoices', 'customers', '{ invoices { nodes { customer { companyName } } } }'],
      ['customers', 'invoices', '{ customers { nodes { invoices { totalCount } } } }'],
      ['customers', 'invoices', '{ customers { edges { node { invoices { nodes { id } } } } } }'],
      ['projects', 'customers', '{ projects { nodes { customer { city } } } }'],
      ['projects', 'time-entries', '{ projects { nodes { timeEntries { nodes { description } } } } }'],
      ['time-entries', 'projects', '{ timeEntries { nodes { project { name } } } }'],
    ];
    for (const [resource, nested, query] of questions) {
      const answer = await (await withAbilities(`${resource}:read`)).graphqlAnswer(query);
      expect(answer.text).not.toMatch(/Globex|Website|Bonn|totalCount|description/);
      expect(refusal(answer)).toMatchObject({
        code: 'FORBIDDEN',
        message: `This token lacks the ability ${nested}:read.`,
      });
      expect(
        (await (await withAbilities(`${resource}:read`, `${nested}:read`)).graphqlAnswer(query)).body.errors,
      ).toBeUndefined();
    }
  });
});
