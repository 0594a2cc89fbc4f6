import { complexityFromQuery } from '@pothos/plugin-complexity';
import {
  buildSchema,
  getOperationAST,
  getVariableValues,
  GraphQLError,
  isObjectType,
  Kind,
  parse,
  NoSchemaIntrospectionCustomRule,
  printSchema,
  specifiedRules,
  validate,
  visit,
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLSchema,
} from 'graphql';
import { createLRUCache, type Plugin } from 'graphql-yoga';
import { computeCost, textLengths } from '../../../schema/graphql/execution/cost.ts';
import type { Context } from '../../../schema/graphql/context.ts';
import { IdentityMutationsAlone } from './atomic-mutations.ts';
import { createFairScheduler } from '../http/fair-scheduler.ts';

/** Limits of a document: four times what any page or guide of ours uses, in depth twice (a test compares). */
export const limits = {
  /** The length of its text. Longer values belong into variables. */
  characters: 10_000,
  /** Tokens of its text. */
  tokens: 1200,
  /** Definitions of fragments. */
  fragments: 20,
  aliases: 20,
  directives: 32,
  /** `__schema` and `__type`, and every alias beside them: each may return the whole schema once more. */
  introspections: 2,
  /** Fields within fields. */
  depth: 12,
  /** The number of fields; those of a fragment count each time it is spread. */
  breadth: 350,
  /** The cost by schema/graphql/execution/cost.ts: the values that may be returned, and the scans. */
  cost: 25_000,
};

/** The limits' names in error messages. */
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

const validationRules = [...specifiedRules, IdentityMutationsAlone];

/** The maximum number of validation errors that are reported: each takes as much time as a small document. */
const maxErrors = 10;

/** Pause between two new documents of a tenant, in milliseconds. */
const pauseMs = 10;

/** Documents by their texts. */
export interface DocumentCache {
  get(text: string): DocumentNode | undefined;
  set(text: string, document: DocumentNode): void;
}

/** Caches valid documents. Invalid ones are not cached: clients can make up any number of them. */
export function createDocumentCache(): DocumentCache {
  const documents = createLRUCache<DocumentNode>({ max: 500 });
  return { get: (text) => documents.get(text), set: (text, document) => void documents.set(text, document) };
}

/**
 * Refuses documents beyond the limits: by their text before they are parsed; by their parts before they are validated, as the
 * time for validation grows faster than the document; by their cost, with these variables, before they are executed.
 * Documents that aren't cached as valid are processed by a fair scheduler.
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
      typeof query !== 'string' || good.get(query) ? undefined : scheduler.waitForTurn(getTenant(context)),
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
      addValidationRule(IdentityMutationsAlone);
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

/** The scheduler's key: all documents of a tenant wait in one queue. */
const getTenant = (asked: object): string => (asked as { context: Context }).context.tenant.id;

/**
 * The errors of a document, as far as they don't depend on variables.
 * @throws GraphQLError if it can't be parsed
 */
export function documentErrors(schema: GraphQLSchema, text: string): readonly GraphQLError[] {
  const tooLong = exceeded({ characters: text.length });
  if (tooLong.length > 0) return tooLong;
  const document = parse(text, { maxTokens: limits.tokens });
  const errors = exceeded(countParts(document));
  return errors.length > 0 ? errors : validate(schema, document, validationRules, { maxErrors });
}

/** The exceeded limits, as validation errors of the document. */
export function exceeded(counts: Counts): GraphQLError[] {
  const extensions = { code: 'GRAPHQL_VALIDATION_FAILED', http: { spec: true, status: 400 } };
  return Object.entries(counts).flatMap(([name, count]) => {
    const limit = limits[name as keyof typeof labels];
    const message = `The document has ${count} ${labels[name as keyof typeof labels]}, of ${limit} at most.`;
    return count > limit ? [new GraphQLError(message, { extensions })] : [];
  });
}

/** Counts a document's parts, each fragment once. */
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

const oneError = { maxErrors: 1 };

/**
 * A copy of the schema with the costs of its fields, and without our validation of arguments, whose errors are reported when
 * a field is executed.
 */
function withCosts(schema: GraphQLSchema): GraphQLSchema {
  const known = pricedSchemas.get(schema);
  if (known) return known;
  const plain = buildSchema(printSchema(schema), { assumeValidSDL: true });
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

/** The depth, breadth and cost of a valid document, with fragments spread. Empty where its variables are invalid. */
export function costs({ schema, document, operationName, variableValues }: ExecutionArgs): Counts {
  const operation = getOperationAST(document, operationName);
  const variables = variableValues ?? {};
  if (!operation || getVariableValues(schema, operation.variableDefinitions ?? [], variables, oneError).errors)
    return {};
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  const asked = { kind: Kind.DOCUMENT, definitions: [operation, ...fragments] } as const;
  const { depth, breadth, complexity: cost } = complexityFromQuery(asked, { schema: withCosts(schema), variables });
  return { depth, breadth, cost };
}
