import { complexityFromQuery } from '@pothos/plugin-complexity';
import {
  buildSchema,
  getOperationAST,
  getVariableValues,
  isObjectType,
  Kind,
  printSchema,
  type ExecutionArgs,
  type GraphQLSchema,
} from 'graphql';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import { computeCost, textLengths, type CostContext } from '../../../schema/graphql/execution/cost.ts';

/** The header by which a request asks for the cost of its document: `X-Query-Cost: 1`. */
export const costHeader = 'x-query-cost';

export const wantsCost = (value: unknown): boolean => value === '1';

const doesAsk = (context: unknown): boolean =>
  wantsCost((context as { request: Request }).request.headers.get(costHeader));

const show = (requested: number, limit: number): object => ({
  requested,
  limit,
  remaining: Math.max(0, limit - requested),
});

/** The extensions of a refusal, if its request asks for the cost of its document. @param limit the highest cost */
export const showRefused = (context: unknown, requested: number | undefined, limit: number) =>
  requested !== undefined && doesAsk(context) ? { extensions: { cost: show(requested, limit) } } : {};

/** Adds `extensions.cost` to the responses of requests that ask for it. @param limit the highest cost */
export const useShownCost = (limit: number): Plugin => ({
  onSchemaChange: ({ schema }) => void withCosts(schema),
  onExecute: ({ args }) => {
    if (!doesAsk(args.contextValue)) return undefined;
    const { cost: requested } = costs(args);
    if (requested === undefined) return undefined;
    const cost = show(requested, limit);
    return {
      onExecuteDone: ({ result, setResult }) => {
        if (!isAsyncIterable(result)) setResult({ ...result, extensions: { ...result.extensions, cost } });
      },
    };
  },
});

const oneError = { maxErrors: 1 };

/**
 * A copy of the schema with the costs of its fields, and without our validation of arguments, whose errors are reported when
 * a field is executed.
 */
function withCosts(schema: GraphQLSchema): GraphQLSchema {
  const known = pricedSchemas.get(schema);
  if (known) return known;
  const plain = buildSchema(printSchema(schema), { assumeValidSDL: true, noLocation: true });
  const texts = textLengths(schema);
  for (const type of Object.values(plain.getTypeMap())) {
    if (!isObjectType(type)) continue;
    const complexity = computeCost(type.name, texts);
    for (const field of Object.values(type.getFields())) field.extensions = { complexity };
  }
  pricedSchemas.set(schema, plain);
  return plain;
}

const pricedSchemas = new WeakMap<GraphQLSchema, GraphQLSchema>();

/** The depth, breadth, cost and scans of a valid document, with fragments spread. Empty where its variables are invalid. */
export function costs({ schema, document, operationName, variableValues }: ExecutionArgs): {
  depth?: number;
  breadth?: number;
  cost?: number;
  scans?: ReadonlySet<string>;
} {
  const operation = getOperationAST(document, operationName);
  const variables = variableValues ?? {};
  if (!operation || getVariableValues(schema, operation.variableDefinitions ?? [], variables, oneError).errors)
    return {};
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  const asked = { kind: Kind.DOCUMENT, definitions: [operation, ...fragments] } as const;
  const ctx: CostContext = { scans: new Set() };
  const {
    depth,
    breadth,
    complexity: cost,
  } = complexityFromQuery(asked, { schema: withCosts(schema), variables, ctx });
  return { depth, breadth, cost, scans: ctx.scans };
}
