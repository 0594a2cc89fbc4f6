import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { asIntegrator } from '../harness.ts';
import { resources } from '../writes/resources.ts';
import { someChanges, sendTogether } from '../writes/together.ts';
import { campaign, say, serve } from './served.ts';
import { size } from './size.ts';

const runs = size('UPDATES', { suite: 100, full: 10_000 });
const first = Number(process.env['SEED'] ?? 0);
const atOnce = 4;

it(`${runs} times two or three concurrent updates of one row lose no acknowledged change and break no rule`, async () => {
  const served = await serve();
  onTestFinished(served.close);
  const { request, beside } = served;
  // Each concurrent run has its own tenant: creating a webhook deletes the tenant's other ones.
  const idle = await Promise.all(
    Array.from({ length: atOnce }, async () =>
      asIntegrator({ request, books: beside.books }, await beside.integrator()),
    ),
  );
  const answers = { done: 0, refused: 0 };
  const wrong: string[] = [];
  await campaign(
    'updates at once',
    runs,
    atOnce,
    async (index) => {
      const who = idle.pop()!;
      const resource = resources[index % resources.length]!;
      const [changes = []] = fc.sample(someChanges(resource), { numRuns: 1, seed: first + index });
      try {
        const done = await sendTogether(who, resource, changes);
        answers.done += done;
        answers.refused += changes.length - done;
      } catch (error) {
        wrong.push(`seed ${first + index}: ${(error as Error).message}`);
      }
      idle.push(who);
    },
    () => `${answers.done} changes made, ${answers.refused} refused`,
  );
  say(`updates at once: ${answers.done} changes made, ${answers.refused} refused, ${wrong.length} runs wrong`);
  expect(wrong.slice(0, 10)).toEqual([]);
  expect(served.loggedErrors()).toEqual([]);
  // Otherwise the rules were rarely applied, or rejected everything.
  expect(answers.refused).toBeGreaterThan(runs / 20);
  expect(answers.done).toBeGreaterThan(runs);
});
