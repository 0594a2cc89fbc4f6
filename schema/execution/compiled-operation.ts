import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import { compileQuery } from 'graphql-jit';
import type { Context } from '../context.ts';

type Values = Record<string, unknown>;

/** Runs an operation and returns GraphQL's result, its errors included. */
export type Execute = (variables: Values, context: Context) => Promise<ExecutionResult<Values>>;

/**
 * Compiles an operation with graphql-jit, which takes less CPU time than interpreting it. GraphQL's built-in scalars and
 * enums are not serialized again: TypeScript ensures that resolvers return the right type.
 * @throws Error where the document isn't valid
 */
export function compileOperation(schema: GraphQLSchema, document: DocumentNode, name?: string): Execute {
  const program = compileQuery<Values, Values>(schema, document, name, { disableLeafSerialization: true });
  if (!('query' in program)) throw program.errors?.[0] ?? new Error(`${name} can't be compiled`);
  return async (variables, context) => program.query(undefined, context, variables);
}
