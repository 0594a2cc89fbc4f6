import type { Answer } from '../harness.ts';
import type { Stage } from './actors.ts';
import { send, toAnswered, type Asked, type Exchange, type Json } from './exchanges.ts';
import { liveByGraphql, refuseByGraphql } from './life-by-graphql.ts';
import { liveByRest, refuseByRest } from './life-by-rest.ts';
import { liveInTestTenant } from './life-in-test-tenant.ts';

/**
 * A tenant's life: each operation of REST with success and with each of its usual errors, and GraphQL's. A release's recording
 * is of its own life: this one may change at any time.
 */
export async function record(stage: Stage): Promise<Exchange[]> {
  const exchanges: Exchange[] = [];
  async function ask(asked: Asked): Promise<Answer> {
    const answer = await send(stage.service, asked, stage.tokens);
    exchanges.push({ asked, answered: toAnswered(answer) });
    return answer;
  }
  const happen = async (event: string): Promise<void> => {
    await stage.happen(event);
    exchanges.push({ event });
  };
  const rest: Rest = (method, path, body, headers) =>
    ask({
      as: 'acme',
      method,
      path: `/api/v1${path}`,
      ...(body !== undefined && { body: body as Json }),
      ...(headers && { headers }),
    });
  const graphql: GraphQL = (query, variables = {}, file) =>
    ask({
      as: 'acme',
      method: 'POST',
      path: '/graphql',
      body: { query, variables: variables as Json },
      ...(file !== undefined && { file }),
    });

  const made = { ...(await liveByRest(rest, graphql, happen)), ...(await liveInTestTenant(rest, ask)) };
  await refuseByRest(ask, made);
  await liveByGraphql(graphql, made);
  await refuseByGraphql(ask, graphql, made);
  return exchanges;
}

export type Ask = (asked: Asked) => Promise<Answer>;
export type Rest = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;
export type GraphQL = (query: string, variables?: object, file?: string) => Promise<Answer>;
/** Ids of rows, by the path of their resource. */
export type Made = Record<string, string>;
