import { getOperationAST, getVariableValues, parse, print, type GraphQLSchema } from 'graphql';
import { createLRUCache, type Plugin } from 'graphql-yoga';
import { compileOperation } from '../../schema/execution/compiled-operation.ts';
import type { Context } from '../../schema/context.ts';
import { traced } from '../../schema/execution/tracing.ts';
import { isCompilable } from './compilable.ts';
import { costs, exceeded } from './document-limits.ts';
import { createFairScheduler } from './fair-scheduler.ts';

/** How often a query is executed before it is compiled, and how many fields it may have: more than any of our pages'. */
const minExecutions = 3;
const maxFields = 100;

type Values = Record<string, unknown>;

/** A compiled query. */
interface CompiledQuery {
  operationName: string | undefined;
  /** `{data}` as JSON; undefined where there are errors. */
  answer: (variables: Values, context: Context) => Promise<string | undefined>;
}

export interface CompiledQueries {
  /** Counts the queries that Yoga executes. */
  plugin: Plugin<{ context: Context }>;
  /** `{data}` as JSON; undefined where Yoga has to answer. */
  answer: (asked: unknown, context: Context) => Promise<string | undefined>;
}

/**
 * Compiles queries that are sent repeatedly, and answers them without Yoga, which takes less CPU time: only queries that Yoga
 * has accepted, and that graphql-jit answers as graphql-js does. If there is an error, Yoga answers after all: a query changes
 * nothing, so that it can run twice.
 */
export function createCompiledQueries(schema: GraphQLSchema, report: (error: unknown) => void): CompiledQueries {
  const seen = createLRUCache<number>({ max: 500 });
  const compiled = createLRUCache<CompiledQuery>({ max: 100 });
  const scheduler = createFairScheduler({ rest: 10, pauseMs: 0 }); // compiling takes a tenth of the time at most

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

/** Compiles a valid document; undefined where graphql-jit can't answer it. */
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
  // The variables that the query's cost depends on: page sizes, and which filters are set.
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

/** Whether the request's body has the usual parameters. Yoga answers all others. */
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
