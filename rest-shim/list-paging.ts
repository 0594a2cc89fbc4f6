import {
  getNamedType,
  Kind,
  parse,
  type FieldNode,
  type GraphQLField,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql';

/** The paging of every list's operation: its document names the filters and the nodes only. */
const paging = parse(
  `query ($first: Int, $after: String, $last: Int, $before: String, $offset: Int) {
    result(first: $first, after: $after, last: $last, before: $before, offset: $offset) {
      totalCount
      pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
    }
  }`,
  { noLocation: true },
).definitions[0] as OperationDefinitionNode;

const pageVariables = (paging.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
const others = new Set(['id', 'input', 'expectedVersion', ...pageVariables]);

/** Whether a variable is a filter of a list or a field of a body: not the id, the whole body, or of paging or a header. */
export const isPlainVariable = (variable: string): boolean => !others.has(variable);

const pagingField = paging.selectionSet.selections[0] as FieldNode;

/** @returns the operation with the variables, arguments, and fields of paging, where its field is a list */
export function withPaging(
  operation: OperationDefinitionNode,
  field: GraphQLField<unknown, unknown> | undefined,
): OperationDefinitionNode {
  if (!field || !getNamedType(field.type).name.endsWith('Connection')) return operation;
  const addPaging = (node: SelectionNode): SelectionNode =>
    node.kind === Kind.FIELD ? mergeFields(node, pagingField) : node;
  return {
    ...operation,
    variableDefinitions: [...(operation.variableDefinitions ?? []), ...(paging.variableDefinitions ?? [])],
    selectionSet: { ...operation.selectionSet, selections: operation.selectionSet.selections.map(addPaging) },
  };
}

const mergeFields = (field: FieldNode, { arguments: added = [], selectionSet }: FieldNode): FieldNode => ({
  ...field,
  arguments: [...(field.arguments ?? []), ...added],
  selectionSet: {
    kind: Kind.SELECTION_SET,
    selections: [...(selectionSet?.selections ?? []), ...(field.selectionSet?.selections ?? [])],
  },
});
