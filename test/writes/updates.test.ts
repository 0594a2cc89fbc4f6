import fc from 'fast-check';
import { getNamedType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../rest-shim/routes.ts';
import { toSchema } from '../../schema/index.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { resources } from './resources.ts';
import { someChanges, sendTogether } from './together.ts';

let service: Service;
let acme: Integrator;
beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
});
afterAll(() => service.close());

describe('concurrent updates have the result of some sequential order', () => {
  it.each(resources.map((resource) => [resource.mutation, resource] as const))(
    '%s',
    async (_name, resource) => {
      await fc.assert(
        fc.asyncProperty(someChanges(resource), async (changes) => void (await sendTogether(acme, resource, changes))),
        { numRuns: 25, endOnFailure: true },
      );
    },
    120_000,
  );
});

describe('this covers all updates', () => {
  const mutations = Object.values(toSchema().getMutationType()!.getFields());

  it('of GraphQL’s mutations', () => {
    const updating = mutations.filter(({ args }) =>
      args.some(({ type }) => getNamedType(type).name.startsWith('Update')),
    );
    const named = mutations.filter(({ name }) => /^(update|change|set|edit)/.test(name));
    // One sets one column by one statement, in a session: test/identity/tenants.test.ts. A lock is set as a whole:
    // test/period-locks/.
    const others = new Set(['updateApiToken', 'setPeriodLock', 'setTestClock']);
    const all = new Set([...updating, ...named].map(({ name }) => name).filter((name) => !others.has(name)));
    expect(resources.map(({ mutation }) => mutation).toSorted()).toEqual([...all].toSorted());
  });

  it('of REST’s routes', () => {
    const patched = routes
      .filter(([method, , , kind]) => method === 'PATCH' && kind !== 'batch')
      .map(([, path]) => path.replace('/:id', ''));
    expect(resources.flatMap(({ path }) => path ?? []).toSorted()).toEqual(patched.toSorted());
  });

  it('of all fields of an update', () => {
    for (const { mutation, change } of resources) {
      const input = mutations.find(({ name }) => name === mutation)!.args.find(({ name }) => name === 'input')!;
      const type = getNamedType(input.type) as { getFields(): object } & ReturnType<typeof getNamedType>;
      const sent = JSON.stringify(fc.sample(change, { numRuns: 400, seed: 1 }).map(({ told }) => told));
      // A logo is a file: test/documents/logo.test.ts.
      const references = /^(customer|supplier|project)Id$/; // whose rows are another matter: test/graphql/resources/races.test.ts
      for (const name of Object.keys(type.getFields()))
        if (!references.test(name) && name !== 'logo') expect(sent, `${mutation} ${name}`).toContain(`\\"${name}\\"`);
    }
  });
});
