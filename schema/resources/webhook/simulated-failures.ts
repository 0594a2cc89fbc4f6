import { builder } from '../../graphql/builder.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { wholeNumber } from '../../graphql/input/validators.ts';
import { requireTestTenant } from '../../identity/test-only.ts';
import type { Db, TenantClient } from '../../../prisma/client.ts';
import { existing, lockWebhook } from './rules.ts';

// A webhook of a test tenant can behave as if its receiver failed. The worker sends nothing then.

/** The most attempts: so many deliveries of a test tenant fail for good that its webhook is deactivated, several times. */
export const maxAttempts = 10_000;
const maxRetryAfter = 86_400;

export type FailureKind = 'SERVER_ERROR' | 'TOO_MANY_REQUESTS' | 'TIMEOUT' | 'CONNECTION_REFUSED';

export interface SimulatedFailure {
  failure: FailureKind;
  /** Seconds. */
  retryAfter: number | null;
}

interface SimulatedFailures extends SimulatedFailure {
  attempts: number;
}

const Failure = builder.enumType('SimulatedFailure', {
  description: "What a webhook's receiver seems to do.",
  values: {
    SERVER_ERROR: { description: 'It answers 500.' },
    TOO_MANY_REQUESTS: { description: 'It answers 429, with Retry-After if that is given.' },
    TIMEOUT: { description: 'It does not answer in time.' },
    CONNECTION_REFUSED: { description: 'It refuses the connection.' },
  } satisfies Record<FailureKind, object>,
});

const SimulatedFailuresType = builder.objectRef<SimulatedFailures>('SimulatedFailures').implement({
  description: 'How the receiver of a webhook seems to fail.',
  example: { failure: 'TOO_MANY_REQUESTS', attempts: 3, retryAfter: 30 },
  fields: (t) => ({
    failure: t.expose('failure', { type: Failure, description: 'What it seems to do.' }),
    attempts: t.exposeInt('attempts', { description: 'How many of the next attempts fail.' }),
    retryAfter: t.exposeInt('retryAfter', { description: 'The seconds in Retry-After, if any.', nullable: true }),
  }),
});

const SimulateWebhookFailuresInput = builder.inputType('SimulateWebhookFailuresInput', {
  description: 'How the receiver of a webhook is to seem to fail.',
  example: { failure: 'TOO_MANY_REQUESTS', attempts: 3, retryAfter: 30 },
  fields: (t) => ({
    failure: t.field({ type: Failure, required: true, description: 'What it seems to do.' }),
    attempts: t.int({
      required: true,
      description: `How many of the next attempts fail, retries included: at most ${maxAttempts}. 0 ends the simulation.`,
      validate: wholeNumber(0, maxAttempts),
    }),
    retryAfter: t.int({
      description: 'The seconds in Retry-After. Only with `TOO_MANY_REQUESTS`.',
      validate: wholeNumber(0, maxRetryAfter),
    }),
  }),
});

builder.mutationField('simulateWebhookFailures', (t) =>
  t.field({
    type: SimulatedFailuresType,
    description:
      "Has a webhook of this tenant, a test tenant, behave as if its receiver failed. Nothing is sent for these attempts. They are in the delivery log, are retried, and count as any others. Needs the abilities to read the resources of the webhook's events.",
    ability: 'webhooks:write',
    args: { ...idArgument, input: t.arg({ type: SimulateWebhookFailuresInput, required: true }) },
    rules: async ({ id, input }, context, problems) => {
      if (id) await existing(context, id);
      requireTestTenant(context);
      if (input?.retryAfter != null && input.failure && input.failure !== 'TOO_MANY_REQUESTS')
        problems.add('input.retryAfter', 'inconsistent', 'Only an answer with 429 has Retry-After.');
    },
    resolve: (_root, { id, input }, context) =>
      context.transaction(async (inside) => {
        await lockWebhook(inside, { id });
        const planned: SimulatedFailures = { ...input, retryAfter: input.retryAfter ?? null };
        await inside.db.$rows('update webhooks set simulated_failures = $3 where tenant_id = $1 and id = $2', [
          id,
          planned.attempts === 0 ? null : JSON.stringify(planned),
        ]);
        return planned;
      }),
  }),
);

/**
 * Counts attempts of webhooks down that simulate failures. Two workers never take the same one.
 * @param counts how many attempts of each webhook have begun
 * @returns by webhook, which of them fail: the first so many
 */
export async function takeSimulatedFailures(
  client: Db | TenantClient,
  counts: ReadonlyMap<string, number>,
): Promise<Map<string, SimulatedFailure & { taken: number }>> {
  const wanted = [...counts].map(([id, count]) => ({ id, count }));
  const rows = await client.$rows<SimulatedFailure & { id: string; taken: number }>(
    `with locked as (
       select w.id, w.simulated_failures as planned, (w.simulated_failures ->> 'attempts')::int as attempts, c.count
       from webhooks w join json_to_recordset($2) as c(id uuid, count int) on c.id = w.id
       where w.tenant_id = $1 and w.simulated_failures is not null
       for no key update of w
     )
     update webhooks w
     set simulated_failures = case
       when l.attempts > l.count then jsonb_set(l.planned, '{attempts}', (l.attempts - l.count)::text::jsonb) end
     from locked l where w.tenant_id = $1 and w.id = l.id
     returning w.id, l.planned ->> 'failure' as failure, l.planned -> 'retryAfter' as "retryAfter",
       least(l.attempts, l.count) as taken`,
    [JSON.stringify(wanted)],
  );
  return new Map(rows.map(({ id, ...simulated }) => [id, simulated]));
}
