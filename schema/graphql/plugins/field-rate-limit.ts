import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import { getGraphQLRateLimiter, Store } from 'graphql-rate-limit';
import { CodedError } from '../../errors/errors.ts';
import type { Context } from '../context.ts';
import { FairLimiter } from '../execution/concurrency-limiter.ts';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      fieldRateLimit: FieldRateLimitPlugin<Types>;
    }
    export interface FieldOptions<Types, ParentShape, Type, Nullable, Args, ResolveShape, ResolveReturnShape> {
      /** How often a token or a session gets the field in any 60 seconds, from one process. Default: as often as it asks. */
      maxPerMinute?: number;
    }
  }
}

interface RateLimited {
  maxPerMinute?: number;
}

/** A field's limit, as a sentence of its description; empty without one. */
export const rateInWords = ({ maxPerMinute }: RateLimited): string =>
  maxPerMinute === undefined ? '' : `At most ${maxPerMinute} times in any ${windowSeconds} seconds.`;

/** Plugin that limits how often a caller gets a field that takes much work, beside the limit of requests. */
class FieldRateLimitPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolver: GraphQLFieldResolver<unknown, Types['Context'], object>,
    { pothosOptions }: PothosOutputFieldConfig<Types>,
  ) {
    const { maxPerMinute }: RateLimited = pothosOptions;
    if (maxPerMinute === undefined) return resolver;
    return limited(resolver as Resolver, maxPerMinute) as typeof resolver;
  }
}

const pluginName = 'fieldRateLimit';
SchemaBuilder.registerPlugin(pluginName, FieldRateLimitPlugin);
export default pluginName;

type Resolver = GraphQLFieldResolver<unknown, Context, object>;

const windowSeconds = 60;

function limited(resolver: Resolver, max: number): Resolver {
  const turns = new FairLimiter();
  const check = getGraphQLRateLimiter({
    // Callers without credentials, as the command line on the server's machine, are counted together.
    identifyContext: ({ session, token }: Context) => session?.id ?? token?.id ?? 'none',
    store: new RecentCalls(),
    formatError: ({ fieldName }) => `${fieldName}: at most ${max} times in any ${windowSeconds} seconds.`,
  });
  return async (parent, args, context, info) => {
    // The library reads a caller's times, and writes them back with the new one. Two checks at once would read the same.
    const refusal = await turns.run(context.tenant.holder, () =>
      check({ parent, args, context, info }, { max, window: `${windowSeconds}s`, uncountRejected: true }),
    );
    if (refusal !== undefined) throw new CodedError('RATE_LIMITED', refusal, { retryAfter: windowSeconds });
    return resolver(parent, args, context, info);
  };
}

interface Identity {
  contextIdentity: string;
}

/** The times of a field's calls, by caller. Callers without one in the window are forgotten, which the library's store never does. */
class RecentCalls extends Store {
  /** In the order of their last calls. */
  readonly #times = new Map<string, readonly number[]>();

  /** Times after now are from before the clock was set back: they would count until then. */
  override getForIdentity({ contextIdentity }: Identity): readonly number[] {
    const now = Date.now();
    return this.#times.get(contextIdentity)?.filter((time) => time <= now) ?? [];
  }

  override setForIdentity({ contextIdentity }: Identity, times: readonly number[], windowMs: number): void {
    this.#times.delete(contextIdentity);
    this.#times.set(contextIdentity, times);
    const horizon = Date.now() - windowMs;
    for (const [caller, [...calls]] of this.#times) {
      if ((calls.at(-1) ?? 0) > horizon) break;
      this.#times.delete(caller);
    }
  }
}
