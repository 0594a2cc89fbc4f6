import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createToken } from '../../src/identity/index.ts';
import { asIntegrator, startService, type Integrator, type Service } from '../harness.ts';
import { customer, project, rows } from '../rest/samples.ts';

let service: Service;
let callers: Integrator[];
let runs = 0;

beforeAll(async () => {
  service = await startService();
  const [acme, globex] = [await service.integrator(), await service.integrator()];
  const { token } = await createToken(service.client, { tenantId: acme.tenantId, abilities: ['read'] });
  callers = [acme, globex, asIntegrator(service, { ...acme, token })];
});
afterAll(() => service.close());

const reader = 2;
const paths = ['/customers', '/projects'];
const bodies = [customer, project, { ...customer, ...project }, {}].map((body) => JSON.stringify(body));
const accepted = new Set([`/customers ${bodies[0]}`, `/projects ${bodies[1]}`]);

const call = fc.record({
  caller: fc.nat({ max: 2 }),
  key: fc.constantFrom('a', 'b', undefined),
  path: fc.constantFrom(...paths),
  body: fc.constantFrom(...bodies),
  duplicates: fc.constantFrom(1, 1, 1, 3),
});

it('any sequence of requests runs each key of a tenant and path once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 2, maxLength: 12 }), async (calls) => {
      runs += 1;
      const stored = new Map<string, { body: string; text: string; status: number }>();
      const countRows = async () =>
        Object.entries(await rows(service))
          .filter(([table]) => ['customers', 'projects'].includes(table))
          .reduce((sum, [, count]) => sum + Number(count), 0);
      let expected = await countRows();
      for (const { caller, key, path, body, duplicates } of calls) {
        const who = callers[caller]!;
        const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': `${key} ${runs}` };
        const answers = await Promise.all(
          Array.from({ length: duplicates }, () => who.rest('POST', path, body, headers)),
        );
        const scope = `${who.tenantId} ${path} ${key}`;
        const isGood = accepted.has(`${path} ${body}`);
        const replays = answers.filter((answer) => answer.headers.has('idempotent-replayed')).length;
        const statuses = new Set(answers.map(({ status }) => status));
        const first = key === undefined ? undefined : stored.get(scope);
        if (first && first.body !== body) {
          expect([...statuses]).toEqual([422]);
          expect(answers[0]!.body.errors).toHaveProperty('Idempotency-Key');
        } else if (caller === reader) {
          expect([[...statuses], replays]).toEqual([[403], 0]);
        } else if (first) {
          expect(replays).toBe(duplicates);
          for (const answer of answers) expect([answer.status, answer.text]).toEqual([first.status, first.text]);
        } else {
          const status = isGood ? 201 : 422;
          expect([...statuses]).toEqual([status]);
          expect(replays).toBe(key === undefined ? 0 : duplicates - 1);
          if (key !== undefined) {
            expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
            stored.set(scope, { body, status, text: answers[0]!.text });
          }
          expected += isGood ? (key === undefined ? duplicates : 1) : 0;
        }
      }
      expect(await countRows()).toBe(expected);
    }),
    { numRuns: 30 },
  );
});
