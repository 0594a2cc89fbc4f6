import { complexityFromQuery } from '@pothos/plugin-complexity';
import {
  buildSchema,
  getOperationAST,
  getVariableValues,
  GraphQLError,
  isObjectType,
  Kind,
  NoSchemaIntrospectionCustomRule,
  printSchema,
  validate,
  visit,
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLSchema,
} from 'graphql';
import { createLRUCache, type Plugin } from 'graphql-yoga';
import { costOf } from '../../schema/execution/cost.ts';
import type { Context } from '../../schema/context.ts';
import { createFairScheduler } from './fair-scheduler.ts';

/** What a document may have at most: four times what any page or guide of ours has, twice in depth (a test compares). */
export const limits = {
  /** Of its text. What is longer belongs into variables. */
  characters: 10_000,
  /** In its text. */
  tokens: 1000,
  /** Definitions of fragments. */
  fragments: 20,
  aliases: 20,
  directives: 28,
  /** `__schema` and `__type`, and every alias beside them: each may have the whole schema answered once more. */
  introspections: 2,
  /** Fields within fields. */
  depth: 12,
  /** Fields in all; a fragment's as often as it is spread. */
  breadth: 350,
  /** Values that may be answered, as schema/execution/cost.ts counts them: a row's as often as its page has rows; and scans. */
  cost: 25_000,
};

/** A limit, and what it is called where it is exceeded. */
const labels = {
  characters: 'characters',
  fragments: 'fragments',
  aliases: 'aliases',
  directives: 'directives',
  introspections: 'introspections',
  depth: 'levels of fields',
  breadth: 'fields',
  cost: 'values to answer',
};
type Counts = Partial<Record<keyof typeof labels, number>>;

/** A document's faults that are told, at most: each costs what a small document does. */
const maxErrors = 10;

/** Between two documents of a tenant's that weren't seen before, in milliseconds: four at a time take 40 each. */
const pauseMs = 10;

/** Documents by their texts. */
export interface DocumentCache {
  get(text: string): DocumentNode | undefined;
  set(text: string, document: DocumentNode): void;
}

/** For those that were found good. Others leave nothing behind: whoever makes them up has no end of them. */
export function createDocumentCache(): DocumentCache {
  const documents = createLRUCache<DocumentNode>({ max: 500 });
  return { get: (text) => documents.get(text), set: (text, document) => void documents.set(text, document) };
}

/**
 * Refuses documents that ask for more than honest clients do: for their text before they are parsed; for what they are
 * made of before they are validated, which takes time that grows faster than they do; for what they cost, with these
 * variables, before they are executed. What wasn't seen before, and found good, is looked at in turns.
 */
export function useLimits({ introspection, good }: { introspection: boolean; good: DocumentCache }): Plugin {
  const scheduler = createFairScheduler({ rest: 2, pauseMs });
  const refuseCost: NonNullable<Plugin['onExecute']> & NonNullable<Plugin['onSubscribe']> = ({
    args,
    setResultAndStopExecution,
  }: {
    args: ExecutionArgs;
    setResultAndStopExecution: (result: { errors: GraphQLError[] }) => void;
  }) => {
    const errors = exceeded(costs(args));
    if (errors.length > 0) setResultAndStopExecution({ errors });
  };
  return {
    onSchemaChange: ({ schema }) => void withCosts(schema),
    onParams: ({ params: { query }, context }) =>
      typeof query !== 'string' || good.get(query) ? undefined : scheduler.waitForTurn(tenantOf(context)),
    onParse: ({ params: { source }, parseFn, setParseFn }) => {
      const errors = exceeded({ characters: String(source).length });
      setParseFn((text, options) => {
        if (errors[0]) throw errors[0];
        return parseFn(text, { ...options, maxTokens: limits.tokens });
      });
    },
    onValidate: ({ params: { documentAST }, addValidationRule, setValidationFn, setResult }) => {
      const errors = exceeded(countParts(documentAST));
      if (errors.length > 0) setResult(errors);
      if (!introspection) addValidationRule(NoSchemaIntrospectionCustomRule);
      setValidationFn((schema, document, rules) =>
        validate(schema, document, rules, { maxErrors, hideSuggestions: !introspection }),
      );
      return ({ valid }) => void (valid && documentAST.loc && good.set(documentAST.loc.source.body, documentAST));
    },
    onExecute: refuseCost,
    onSubscribe: refuseCost,
  };
}

/** Whose turn it is: all of a tenant's documents wait in one line. */
const tenantOf = (asked: object): string => (asked as { context: Context }).context.tenant.id;

/** Told like any other fault of a document. */
export function exceeded(counts: Counts): GraphQLError[] {
  const extensions = { code: 'GRAPHQL_VALIDATION_FAILED', http: { spec: true, status: 400 } };
  return Object.entries(counts).flatMap(([name, count]) => {
    const limit = limits[name as keyof typeof labels];
    const message = `The document has ${count} ${labels[name as keyof typeof labels]}, of ${limit} at most.`;
    return count > limit ? [new GraphQLError(message, { extensions })] : [];
  });
}

/** What is written, fragments once. */
function countParts(document: DocumentNode): Counts {
  const counts = { fragments: 0, aliases: 0, directives: 0, introspections: 0, depth: 0, breadth: 0 };
  let depth = 0;
  visit(document, {
    FragmentDefinition: () => void (counts.fragments += 1),
    Directive: () => void (counts.directives += 1),
    Field: {
      enter: ({ alias, name }) => {
        counts.breadth += 1;
        if (alias) counts.aliases += 1;
        if (name.value === '__schema' || name.value === '__type') counts.introspections += 1;
        depth += 1;
        counts.depth = Math.max(counts.depth, depth);
      },
      leave: () => void (depth -= 1),
    },
  });
  if (counts.introspections > 0) counts.introspections += counts.aliases;
  return counts;
}

const oneFault = { maxErrors: 1 };

/**
 * The schema with what its fields cost, and without our checks of their arguments: those are told, all at once, when a
 * field is executed.
 */
function withCosts(schema: GraphQLSchema): GraphQLSchema {
  const known = pricedSchemas.get(schema);
  if (known) return known;
  const plain = buildSchema(printSchema(schema), { assumeValidSDL: true });
  for (const type of Object.values(plain.getTypeMap())) {
    if (!isObjectType(type)) continue;
    const complexity = costOf(type.name);
    for (const field of Object.values(type.getFields())) field.extensions = { complexity };
  }
  pricedSchemas.set(schema, plain);
  return plain;
}

const pricedSchemas = new WeakMap<GraphQLSchema, GraphQLSchema>();

/** What a valid document asks for, fragments spread. What is wrong with its variables is left to be told. */
export function costs({ schema, document, operationName, variableValues }: ExecutionArgs): Counts {
  const operation = getOperationAST(document, operationName);
  const variables = variableValues ?? {};
  if (!operation || getVariableValues(schema, operation.variableDefinitions ?? [], variables, oneFault).errors)
    return {};
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  const asked = { kind: Kind.DOCUMENT, definitions: [operation, ...fragments] } as const;
  const { depth, breadth, complexity: cost } = complexityFromQuery(asked, { schema: withCosts(schema), variables });
  return { depth, breadth, cost };
}
