import {
  getDirectiveValues,
  getOperationAST,
  GraphQLError,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  type ExecutionArgs,
  type SelectionSetNode,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';

/** Refuses a subscription whose only field is left out by `@skip` or `@include`: graphql-js fails at one. */
export const useEmptySubscriptions = (): Plugin => ({
  onSubscribe: ({ args, setResultAndStopExecution }) => {
    if (isEmpty(args)) setResultAndStopExecution({ errors: [empty()] });
  },
});

function isEmpty({ document, operationName }: ExecutionArgs): boolean {
  const operation = getOperationAST(document, operationName);
  if (!operation) return false;
  // A valid document spreads no fragment within itself, and graphql-js refuses variables in these directives.
  const hasField = ({ selections }: SelectionSetNode): boolean =>
    selections.some((node) => {
      if (getDirectiveValues(GraphQLSkipDirective, node)?.['if'] === true) return false;
      if (getDirectiveValues(GraphQLIncludeDirective, node)?.['if'] === false) return false;
      if (node.kind === Kind.FIELD) return true;
      if (node.kind === Kind.INLINE_FRAGMENT) return hasField(node.selectionSet);
      return document.definitions.some(
        (each) =>
          each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === node.name.value && hasField(each.selectionSet),
      );
    });
  return !hasField(operation.selectionSet);
}

const empty = (): GraphQLError =>
  new GraphQLError('The subscription has no field: its directives leave it out.', {
    extensions: { code: 'BAD_REQUEST', http: { status: 400 } },
  });
