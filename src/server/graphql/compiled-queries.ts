import { getOperationAST, getVariableValues, print, type DocumentNode, type GraphQLSchema } from 'graphql';
import { createLRUCache, type Plugin } from 'graphql-yoga';
import {
  compileOperation,
  graphqlFormat,
  startExecution,
  type Selection,
} from '../../../schema/graphql/execution/compile-selection.ts';
import type { Context } from '../../../schema/graphql/context.ts';
import { findExcess } from '../../../schema/graphql/input/width.ts';
import { tracer } from '../../../schema/graphql/execution/tracing.ts';
import { costs } from './document-cost.ts';
import { exceeded } from './document-limits.ts';
import { FairCache } from './fair-cache.ts';

/** How often a query is executed before it is compiled, and how many fields it may have: more than any of our pages has. */
const minExecutions = 3;
const maxFields = 100;

type Values = Record<string, unknown>;

/** A compiled query. */
interface CompiledQuery {
  /** Whether it was trusted, and may be beyond the limits of a text. */
  isTrusted?: boolean;
  operationName: string | undefined;
  /** `{data}` as JSON; undefined where Yoga has to respond. */
  respond: (variables: Values, context: Context) => Promise<string | undefined>;
}

export interface CompiledQueries {
  /** Counts the queries that Yoga executes. */
  plugin: Plugin<{ context: Context }>;
  /** `{data}` as JSON; undefined where Yoga has to respond. */
  respond: (params: unknown, context: Context) => Promise<string | undefined>;
}

/**
 * Compiles queries that are sent repeatedly, and responds to them without Yoga, which takes less CPU time: only queries that
 * Yoga has accepted. If there is an error, Yoga responds after all: a query changes nothing, so that it can run twice.
 */
export function createCompiledQueries(
  schema: GraphQLSchema,
  isTrusted: (text: string, context: Context) => boolean,
): CompiledQueries {
  const seen = new FairCache<number>(500);
  const compiled = new FairCache<CompiledQuery>(100);
  return {
    plugin: {
      onExecute: ({ args }) => {
        const text = args.document.loc?.source.body;
        if (text === undefined) return;
        const count = (seen.get(text) ?? 0) + 1;
        const { context } = args.contextValue as { context: Context };
        seen.set(text, count, context.tenant.holder);
        if (count !== minExecutions || (costs(args).breadth ?? 0) > maxFields) return;
        const compiledQuery = compileQuery(schema, args.document, args.operationName ?? undefined);
        if (compiledQuery)
          compiled.set(text, { ...compiledQuery, isTrusted: isTrusted(text, context) }, context.tenant.holder);
      },
    },
    respond: async (params, context) => {
      if (!isGraphqlParams(params)) return undefined;
      const { query, variables, operationName } = params;
      const compiledQuery = compiled.get(query);
      if (!compiledQuery || compiledQuery.operationName !== (operationName ?? undefined)) return undefined;
      if (compiledQuery.isTrusted && !isTrusted(query, context)) return undefined;
      return await compiledQuery.respond(variables ?? {}, context);
    },
  };
}

/**
 * The types of variables whose values make no difference to a query's cost, unlike those of filters, orders, page sizes, and
 * whether only the lines of a bulk operation that were refused are read.
 */
const isOfAnyCost = /^(UUID|ID|Date|DateTime|Decimal)!?$/;

/** Compiles a valid document; undefined where Yoga has to execute it. */
export function compileQuery(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
): CompiledQuery | undefined {
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== 'query') return undefined;
  let selection: Selection;
  try {
    selection = compileOperation(schema, document, operation, graphqlFormat);
  } catch {
    return undefined;
  }

  const { variableDefinitions = [] } = operation;
  const known = createLRUCache<boolean>({ max: 20 });
  const isWithin = (variables: Values, coerced: Values): boolean => {
    const sizes = JSON.stringify(
      variableDefinitions.map(({ variable: { name }, type }) => {
        const value = coerced[name.value] ?? null;
        return isOfAnyCost.test(print(type)) ? value !== null : value;
      }),
    );
    const before = known.get(sizes);
    if (before !== undefined) return before;
    // Its other limits don't depend on variables: Yoga has accepted it.
    const { cost } = costs({ schema, document, operationName, variableValues: variables });
    const is = exceeded({ cost }).length === 0;
    known.set(sizes, is);
    return is;
  };
  return {
    operationName,
    respond: async (variables, context) => {
      if (findExcess(variables)) return undefined;
      const { coerced } = getVariableValues(schema, variableDefinitions, variables, { maxErrors: 1 });
      if (!coerced || !isWithin(variables, coerced)) return undefined;
      try {
        const execution = startExecution(context, coerced);
        const write = async (): Promise<string> => selection.write(undefined, execution);
        return `{"data":${await tracer.step('GraphQL', write)}}`;
      } catch {
        if (context.responseSize?.error) throw context.responseSize.error; // it would be too large again
        context.responseSize?.restart();
        return undefined;
      }
    },
  };
}

interface GraphqlParams {
  query: string;
  variables?: Values | null;
  operationName?: string | null;
}

/** Extensions are for trusted documents (trusted-documents.ts), or of no use here. */
const parameters = new Set(['query', 'variables', 'operationName', 'extensions']);

/** Whether the request's body has the usual parameters. Yoga responds to all others. */
function isGraphqlParams(params: unknown): params is GraphqlParams {
  if (!isObject(params) || !Object.keys(params).every((name) => parameters.has(name))) return false;
  const { query, variables, operationName, extensions } = params;
  return (
    typeof query === 'string' &&
    (variables == null || isObject(variables)) &&
    (extensions == null || isObject(extensions)) &&
    (operationName == null || typeof operationName === 'string')
  );
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
