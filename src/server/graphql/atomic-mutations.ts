import {
  getOperationAST,
  GraphQLError,
  Kind,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type FieldNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidationRule,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { importLimits } from '../../../schema/bank-statements/import-statement.ts';
import type { Context } from '../../../schema/graphql/context.ts';
import { getChecks } from '../../../schema/graphql/plugins/authorization-and-validation.ts';
import { rememberIdentityWrites } from '../../security/idempotency/identity-writes.ts';
import type { GraphqlRequest } from './handler.ts';
import type { ReceivedForm } from './uploads.ts';

/**
 * Executes the mutations of a document in one transaction, with their events: all of them are written, or, where the response
 * has no data, none (DECISIONS.md#d46-documents-of-several-mutations). After contention all of them are executed again.
 */
export const useAtomicMutations = (): Plugin<GraphqlRequest & ReceivedForm> => ({
  onExecute: ({ args, executeFn, setExecuteFn }) => {
    const { isRetried } = args.contextValue as unknown as GraphqlRequest;
    const operation = getOperationAST(args.document, args.operationName);
    // A request with an Idempotency-Key has a transaction already.
    if (isRetried || operation?.operation !== 'mutation' || isOneImport(args, operation)) return;
    setExecuteFn((again: ExecutionArgs) => executeInTransaction(again, executeFn));
  },
});

/**
 * Whether a document has nothing but an import, which is a transaction by itself. It begins that late: until it has read its file,
 * and while it waits for other imports, it holds no connection.
 */
function isOneImport({ schema, document }: ExecutionArgs, { selectionSet }: OperationDefinitionNode): boolean {
  const [only, ...others] = listRootFields(selectionSet, (name) => findSelections(document, name));
  const field = schema.getMutationType()?.getFields()[only?.name.value ?? ''];
  return others.length === 0 && field?.extensions['hasOwnTransaction'] === true;
}

function findSelections({ definitions }: DocumentNode, name: string): SelectionSetNode | undefined {
  const found = definitions.find((each) => each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === name);
  return found?.kind === Kind.FRAGMENT_DEFINITION ? found.selectionSet : undefined;
}

type Execute = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;

async function executeInTransaction(args: ExecutionArgs, execute: Execute): Promise<ExecutionResult> {
  const context = args.contextValue as Context & ReceivedForm;
  const { responseSize, form } = context;
  const newIdentity = rememberIdentityWrites(context.identity);
  const rollback = new Error('A mutation failed');
  let result: ExecutionResult = {};
  const work = async (inside: Context): Promise<void> => {
    responseSize?.restart(); // what an earlier try has read is not part of the response
    result = {};
    result = await execute({ ...args, contextValue: { ...context, ...inside, identity: newIdentity() } });
    if (result.data == null || responseSize?.error) throw rollback;
  };
  try {
    // Savepoints, because a mutation explains by further statements why the database has refused one.
    await context.transaction(work, { ...(form && importLimits), savepoints: true });
  } catch (error) {
    if (error !== rollback)
      return { data: null, errors: [new GraphQLError('Rolled back', { originalError: error as Error })] };
  }
  return result;
}

/** Refuses mutations of tokens, members, sessions, and trusted documents beside others: they can't be rolled back with them. */
export const IdentityMutationsAlone: ValidationRule = (context) => ({
  OperationDefinition: ({ operation, selectionSet }) => {
    const fields = context.getSchema().getMutationType()?.getFields();
    if (operation !== 'mutation' || !fields) return;
    const selected = listRootFields(selectionSet, (name) => context.getFragment(name)?.selectionSet);
    if (selected.length < 2) return;
    for (const node of selected) {
      const name = node.name.value;
      const { extensions = {} } = fields[name] ?? {};
      if (!extensions['commitsAlone'] && !getChecks(extensions['pothosOptions']).inSession) continue;
      const message = `${name} has to be the only mutation of its document: it can't be rolled back with others.`;
      context.reportError(new GraphQLError(message, { nodes: node }));
    }
  },
});

/** The fields of an operation's root, with those of its fragments. Each fragment is looked into once. */
function listRootFields(
  { selections }: SelectionSetNode,
  findFragment: (name: string) => SelectionSetNode | undefined,
  seen = new Set<string>(),
): FieldNode[] {
  return selections.flatMap((node) => {
    if (node.kind === Kind.FIELD) return [node];
    if (node.kind === Kind.INLINE_FRAGMENT) return listRootFields(node.selectionSet, findFragment, seen);
    const name = node.name.value;
    const fragment = seen.has(name) ? undefined : findFragment(name);
    seen.add(name);
    return fragment ? listRootFields(fragment, findFragment, seen) : [];
  });
}
