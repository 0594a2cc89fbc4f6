import {
  getOperationAST,
  getVariableValues,
  Kind,
  typeFromAST,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type FragmentDefinitionNode,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../../../schema/graphql/context.ts';
import { Problems, ValidationError, type CodedError } from '../../../schema/errors/errors.ts';
import { validateArguments } from '../../../schema/graphql/input/validate-arguments.ts';
import { findExcess, maxInputDepth, maxInputValues, tooWideMessage } from '../../../schema/graphql/input/width.ts';
import { getChecks, refusedBy } from '../../../schema/graphql/plugins/authorization-and-validation.ts';

/**
 * Reports invalid variables like any other invalid input: VALIDATION_FAILED, by path. This is done before their cost is
 * computed and before execution, because GraphQL would print a large input completely for each of its errors. Variables of
 * very many values or levels aren't even coerced.
 */
export function useVariableValidation(): Plugin {
  const refuse: NonNullable<Plugin['onExecute']> & NonNullable<Plugin['onSubscribe']> = ({
    args: { schema, document, operationName, variableValues, contextValue },
    setResultAndStopExecution,
  }: PendingExecution) => {
    const operation = getOperationAST(document, operationName);
    const values = variableValues ?? {};
    if (!operation) return;
    const excess = findExcess(values);
    // Of what is nested like that, nothing else is looked at: that would take a call for each level.
    if (excess === 'levels') return setResultAndStopExecution({ errors: [new ValidationError(tooDeep.byField)] });
    const isWide = excess === 'values';
    if (!isWide && !getVariableValues(schema, operation.variableDefinitions ?? [], values, { maxErrors: 1 }).errors)
      return;
    const refusal = findRefusal(schema, { document, operation }, contextValue as Context);
    if (refusal) return setResultAndStopExecution({ errors: [refusal] });
    const problems = variableErrors(schema, operation, values);
    if (isWide) problems.add('variables', 'too_many', tooWideMessage, { max: maxInputValues });
    if (problems.any) setResultAndStopExecution({ errors: [new ValidationError(problems.byField)] });
  };
  return { onExecute: refuse, onSubscribe: refuse };
}

const tooDeep = new Problems();
tooDeep.add('variables', 'nested_too_deeply', `Must not have more than ${maxInputDepth} levels.`);

/** An operation before its execution or subscription. */
interface PendingExecution {
  args: Pick<ExecutionArgs, 'schema' | 'document' | 'operationName' | 'variableValues' | 'contextValue'>;
  setResultAndStopExecution: (result: ExecutionResult) => void;
}

/** Why the caller may not run one of the operation's fields. That goes before the faults of its variables. */
function findRefusal(
  schema: GraphQLSchema,
  { document, operation }: { document: DocumentNode; operation: OperationDefinitionNode },
  context: Context,
): CodedError | undefined {
  const fields = schema.getRootType(operation.operation)?.getFields() ?? {};
  const findFieldRefusal = (node: SelectionNode): CodedError | undefined => {
    if (node.kind === Kind.FIELD)
      return refusedBy(getChecks(fields[node.name.value]?.extensions['pothosOptions']), context);
    const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragmentNamed(document, node.name.value) : node;
    return fragment && findFirst(fragment.selectionSet);
  };
  const findFirst = ({ selections }: SelectionSetNode): CodedError | undefined => {
    for (const node of selections) {
      const refusal = findFieldRefusal(node);
      if (refusal) return refusal;
    }
    return undefined;
  };
  return findFirst(operation.selectionSet);
}

const fragmentNamed = (document: DocumentNode, name: string): FragmentDefinitionNode | undefined =>
  document.definitions.find(
    (each): each is FragmentDefinitionNode => each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === name,
  );

function variableErrors(schema: GraphQLSchema, operation: OperationDefinitionNode, values: object): Problems {
  const problems = new Problems();
  const inputs = (operation.variableDefinitions ?? []).map(({ variable, type, defaultValue }) => ({
    name: variable.name.value,
    type: typeFromAST(schema, type as never) as unknown as GraphQLInputType,
    hasDefault: defaultValue !== undefined,
  }));
  const known = new Set(inputs.map(({ name }) => name));
  const given = Object.fromEntries(Object.entries(values).filter(([name]) => known.has(name)));
  const required = inputs.filter(({ name, hasDefault }) => !hasDefault || name in given);
  validateArguments(
    required.map(({ name, type }) => ({ name, type, extensions: {} })) as unknown as Parameters<
      typeof validateArguments
    >[0],
    given,
    problems,
  );
  return problems;
}
