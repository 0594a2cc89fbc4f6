import { getOperationAST, getVariableValues, parse, print, type GraphQLSchema } from 'graphql';
import { createLRUCache, type Plugin } from 'graphql-yoga';
import { compileOperation } from '../../schema/execution/compiled-operation.ts';
import type { Context } from '../../schema/context.ts';
import { traced } from '../../schema/execution/tracing.ts';
import { isCompilable } from './compilable.ts';
import { costs, exceeded } from './document-limits.ts';
import { createFairScheduler } from './fair-scheduler.ts';

/** How often a query comes before it is compiled, and how many fields it may have: more than any of our pages'. */
const minExecutions = 3;
const maxFields = 100;

type Values = Record<string, unknown>;

/** A query that came again. */
interface CompiledQuery {
  operationName: string | undefined;
  /** `{data}` as JSON; undefined where there is anything to be told of it. */
  answer: (variables: Values, context: Context) => Promise<string | undefined>;
}

export interface CompiledQueries {
  /** Sees what Yoga executes. */
  plugin: Plugin<{ context: Context }>;
  /** `{data}` as JSON; undefined where Yoga is to be asked. */
  answer: (asked: unknown, context: Context) => Promise<string | undefined>;
}

/**
 * Queries that come again are compiled, and then answered past Yoga: those alone that Yoga has let through, and that
 * graphql-jit answers as graphql-js does. Where there is any error to tell, Yoga is asked after all: a query changes
 * nothing, so it may be asked twice. An invoice then costs 0.71 of the CPU time, PostgreSQL's included, and a page of
 * 25 of them 0.63.
 */
export function createCompiledQueries(schema: GraphQLSchema, report: (error: unknown) => void): CompiledQueries {
  const seen = createLRUCache<number>({ max: 500 });
  const compiled = createLRUCache<CompiledQuery>({ max: 100 });
  const scheduler = createFairScheduler({ rest: 10, pauseMs: 0 }); // compiling is a tenth of what is done, whatever is sent

  const compileInTurn = async (who: string, text: string, operationName: string | undefined): Promise<void> => {
    await scheduler.waitForTurn(who);
    const compiledQuery = compileQuery(schema, text, operationName);
    if (compiledQuery) compiled.set(text, compiledQuery);
  };

  return {
    plugin: {
      onExecute: ({ args }) => {
        const text = args.document.loc?.source.body;
        if (text === undefined) return;
        const count = (seen.get(text) ?? 0) + 1;
        seen.set(text, count);
        if (count !== minExecutions || (costs(args).breadth ?? 0) > maxFields) return;
        const { tenant } = args.contextValue.context;
        compileInTurn(tenant.id, text, args.operationName ?? undefined).catch(report);
      },
    },
    answer: async (asked, context) => {
      if (!isGraphqlParams(asked)) return undefined;
      const { query, variables, operationName } = asked;
      const compiledQuery = compiled.get(query);
      if (!compiledQuery || compiledQuery.operationName !== (operationName ?? undefined)) return undefined;
      return await compiledQuery.answer(variables ?? {}, context);
    },
  };
}

/** Compiles a valid document; undefined where graphql-jit has nothing to do with it. */
export function compileQuery(
  schema: GraphQLSchema,
  text: string,
  operationName: string | undefined,
): CompiledQuery | undefined {
  const document = parse(text, { noLocation: true }); // its own: graphql-jit writes into it
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== 'query' || !isCompilable(document, schema)) return undefined;
  const execute = compileOperation(schema, document, operation.name?.value);

  const { variableDefinitions = [] } = operation;
  // All that the query's cost can depend on: the length of a page, and which filters are given.
  const numbers = new Set(
    variableDefinitions.filter(({ type }) => /^Int!?$/.test(print(type))).map(({ variable }) => variable.name.value),
  );
  const known = createLRUCache<boolean>({ max: 20 });
  const isWithin = (variables: Values): boolean => {
    const { coerced } = getVariableValues(schema, variableDefinitions, variables, { maxErrors: 1 });
    if (!coerced) return false;
    const sizes = variableDefinitions
      .map(({ variable: { name } }) => (numbers.has(name.value) ? coerced[name.value] : Boolean(coerced[name.value])))
      .join();
    const before = known.get(sizes);
    if (before !== undefined) return before;
    const is = exceeded(costs({ schema, document, operationName, variableValues: variables })).length === 0;
    known.set(sizes, is);
    return is;
  };
  return {
    operationName,
    answer: async (variables, context) => {
      if (!isWithin(variables)) return undefined;
      const { data, errors } = await traced('GraphQL', () => execute(variables, context));
      return errors ? undefined : JSON.stringify({ data });
    },
  };
}

interface GraphqlParams {
  query: string;
  variables?: Values | null;
  operationName?: string | null;
}

const parameters = new Set(['query', 'variables', 'operationName']);

/** Whether it is asked as every client asks. All else is Yoga's. */
function isGraphqlParams(asked: unknown): asked is GraphqlParams {
  if (!isObject(asked) || !Object.keys(asked).every((name) => parameters.has(name))) return false;
  const { query, variables, operationName } = asked;
  return (
    typeof query === 'string' &&
    (variables == null || isObject(variables)) &&
    (operationName == null || typeof operationName === 'string')
  );
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
