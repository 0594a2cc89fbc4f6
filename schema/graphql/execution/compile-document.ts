import { getOperationAST, getVariableValues, parse, validate, type GraphQLSchema } from 'graphql';
import type { Context } from '../context.ts';
import { compileOperation, graphqlFormat, startExecution } from './compile-selection.ts';

/**
 * Runs a document.
 * @returns its `result`, as JSON has it
 * @throws the first error: CodedError as the domain's answer, GraphQLError where the variables don't fit
 */
export type RunDocument<Result> = (variables: Record<string, unknown>, context: Context) => Promise<Result>;

/**
 * Compiles a document of our own: one operation, with one field, as `result`.
 * @throws GraphQLError where it isn't valid
 */
export function compileDocument<Result>(schema: GraphQLSchema, source: string): RunDocument<Result> {
  const document = parse(source);
  const [invalid] = validate(schema, document);
  if (invalid) throw invalid;
  const operation = getOperationAST(document);
  if (!operation) throw new Error('A document of ours has one operation');
  const { write } = compileOperation(schema, document, operation, graphqlFormat);
  return async (variables, context) => {
    const { coerced, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
    if (!coerced) throw errors[0]?.originalError ?? errors[0];
    return (JSON.parse(await write(undefined, startExecution(context, coerced))) as { result: Result }).result;
  };
}
