import { builder } from '../graphql/builder.ts';
import { businessTime, type Context } from '../graphql/context.ts';
import { refuse } from '../errors/errors.ts';
import { formatDay } from '../graphql/scalars/scalars.ts';

/** The furthest that a clock can be ahead: later days would be beyond what dates may be. */
export const mostYears = 10;

const TestClockTime = builder.objectRef<{ now: Date }>('TestClockTime').implement({
  description: "The tenant's clock. That of a test tenant can be set forward.",
  example: { now: '2026-11-22T09:30:00+00:00' },
  fields: (t) => ({
    now: t.expose('now', { type: 'DateTime', description: 'The time by it. It goes on by itself.' }),
  }),
});

const SetTestClockInput = builder.inputType('SetTestClockInput', {
  description: 'A time to set the clock to.',
  example: { now: '2027-01-31T09:00:00+00:00' },
  fields: (t) => ({
    now: t.field({
      type: 'DateTime',
      required: true,
      description: `Later than the time by it, and at most ${mostYears} years ahead.`,
    }),
  }),
});

function findLatest({ now }: Context): Date {
  const latest = new Date(now());
  latest.setUTCFullYear(latest.getUTCFullYear() + mostYears);
  return latest;
}

builder.queryField('testClock', (t) =>
  t.field({
    type: TestClockTime,
    description: "The tenant's clock. Only a test tenant's can be set.",
    ability: 'test-tenants:read',
    resolve: (_root, _args, context) => ({ now: businessTime(context) }),
  }),
);

builder.mutationField('setTestClock', (t) =>
  t.field({
    type: TestClockTime,
    description:
      'Sets the clock of this tenant, a test tenant, forward. What is due, overdue, or locked follows, and what has no date gets its day. Webhooks that wait for a retry are sent earlier. When rows were made, and events, stay in real time.',
    ability: 'test-tenants:write',
    extensions: { hasOwnTransaction: true, commitsAlone: true }, // its transaction isn't that of the books
    args: { input: t.arg({ type: SetTestClockInput, required: true }) },
    rules: ({ input }, context, problems) => {
      if (!context.tenant.test)
        return problems.add('tenant', 'wrong_state', 'Only a test tenant has a clock that can be set.');
      const latest = findLatest(context);
      if (!input?.now) return;
      if (input.now <= businessTime(context))
        problems.add('input.now', 'in_the_past', "Must be later than the time by the tenant's clock.");
      if (input.now > latest) {
        const days = { min: formatDay(businessTime(context)), max: formatDay(latest) };
        problems.add('input.now', 'day_out_of_range', `Must be at most ${mostYears} years ahead.`, days);
      }
    },
    resolve: async (_root, { input: { now: time } }, context) => {
      const { now, tenant } = context;
      const set = await context.identity.setTestClock(context, time);
      if (!set) refuse('input.now', 'in_the_past', "Must be later than the time by the tenant's clock.");
      return { now: businessTime({ now, tenant: { ...tenant, ...set } }) };
    },
  }),
);
