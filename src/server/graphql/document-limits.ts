import {
  GraphQLError,
  parse,
  NoSchemaIntrospectionCustomRule,
  specifiedRules,
  validate,
  visit,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../../../schema/graphql/context.ts';
import { IdentityMutationsAlone } from './atomic-mutations.ts';
import { costs, showRefused } from './document-cost.ts';
import { createFairScheduler } from '../http/fair-scheduler.ts';
import { FairCache } from './fair-cache.ts';

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

type Counts = Partial<Record<keyof typeof limits, number>>;
type Limits = Counts;

/** Limits of a trusted document, whose parts its owner answers for. Parsing and validating it takes some time, once. */
export const limitsOfTrusted = {
  characters: 100_000,
  get cost() {
    return limits.cost;
  },
};

/** For each limit, the name of the things that it counts, and the error code of documents beyond it. */
export const excesses = {
  characters: { label: 'characters', code: 'DOCUMENT_TOO_LONG' },
  tokens: { label: 'tokens', code: 'TOO_MANY_TOKENS' },
  fragments: { label: 'fragments', code: 'TOO_MANY_FRAGMENTS' },
  aliases: { label: 'aliases', code: 'TOO_MANY_ALIASES' },
  directives: { label: 'directives', code: 'TOO_MANY_DIRECTIVES' },
  introspections: { label: 'introspections', code: 'TOO_MANY_INTROSPECTIONS' },
  depth: { label: 'levels of fields', code: 'TOO_DEEP' },
  breadth: { label: 'fields', code: 'TOO_MANY_FIELDS' },
  cost: { label: 'values to answer', code: 'TOO_COSTLY' },
} satisfies Record<keyof typeof limits, { label: string; code: string }>;

const validationRules = [...specifiedRules, IdentityMutationsAlone];

/** The maximum number of validation errors that are reported: each takes as much time as a small document. */
const maxErrors = 10;

/** Pause between two new documents of a tenant, in milliseconds. */
const pauseMs = 10;

/** Valid documents by their texts. Others are not cached: clients can make up any number of them. */
export type DocumentCache = FairCache<DocumentNode>;

export const createDocumentCache = (): DocumentCache => new FairCache(500);

/** Trusted documents may be long: they are bounded by their characters. */
const createTrustedCache = (): DocumentCache => new FairCache(1_000_000, (text) => text.length);

interface LimitsOptions {
  introspection: boolean;
  /** Documents that are known to be valid and within the limits. */
  good: DocumentCache;
  isTrusted: (text: string, context: Context) => boolean;
}

/**
 * Refuses documents beyond the limits: by their text before they are parsed; by their parts before they are validated, as the
 * time for validation grows faster than the document; by their cost, with these variables, before they are executed.
 * Documents that aren't cached as valid are processed by a fair scheduler. Trusted documents have only limits of their length
 * and cost.
 */
export function useLimits({ introspection, good, isTrusted }: LimitsOptions): Plugin {
  const findLimits = (document: DocumentNode, asked: unknown): Limits =>
    isTrusted(document.loc?.source.body ?? '', getContext(asked)) ? limitsOfTrusted : limits;
  const scheduler = createFairScheduler({ rest: 2, pauseMs });
  // Apart from others: a trusted document is not within the limits of the same text, when a client sends it.
  const trusted = createTrustedCache();
  const refuseCost: NonNullable<Plugin['onExecute']> & NonNullable<Plugin['onSubscribe']> = ({
    args,
    setResultAndStopExecution,
  }: {
    args: ExecutionArgs;
    setResultAndStopExecution: (result: ExecutionResult) => void;
  }) => {
    const { scans = new Set<string>(), ...counts } = costs(args);
    const errors = exceeded(counts, findLimits(args.document, args.contextValue), explainScans(scans));
    if (errors.length > 0)
      setResultAndStopExecution({ errors, ...showRefused(args.contextValue, counts.cost, limits.cost) });
  };
  return {
    onParams: ({ params: { query }, context }) =>
      typeof query !== 'string' || good.get(query) || (isTrusted(query, getContext(context)) && trusted.get(query))
        ? undefined
        : scheduler.waitForTurn(getContext(context).tenant.holder),
    onParse: ({ context, params: { source }, parseFn, setParseFn, setParsedDocument }) => {
      const isOwn = isTrusted(String(source), getContext(context));
      const known = isOwn && trusted.get(String(source));
      if (known) return setParsedDocument(known);
      const own = isOwn ? limitsOfTrusted : limits;
      const errors = exceeded({ characters: String(source).length }, own);
      setParseFn((text, options) => {
        if (errors[0]) throw errors[0];
        return own === limits ? parseUpToLimit(parseFn, text, options) : parseFn(text, options);
      });
    },
    onValidate: ({ context, params: { documentAST }, addValidationRule, setValidationFn, setResult }) => {
      const errors = exceeded(countParts(documentAST), findLimits(documentAST, context));
      if (errors.length > 0) setResult(errors);
      addValidationRule(IdentityMutationsAlone);
      if (!introspection) addValidationRule(NoSchemaIntrospectionCustomRule);
      setValidationFn((schema, document, rules) =>
        validate(schema, document, rules, { maxErrors, hideSuggestions: !introspection }),
      );
      const { body = '' } = documentAST.loc?.source ?? {};
      const asking = getContext(context);
      const cache = isTrusted(body, asking) ? trusted : good;
      return ({ valid }) => void (valid && documentAST.loc && cache.set(body, documentAST, asking.tenant.holder));
    },
    onExecute: refuseCost,
    onSubscribe: refuseCost,
  };
}

/** @throws GraphQLError if the document has too many tokens, or can't be parsed */
function parseUpToLimit(parseFn: typeof parse, ...[source, options]: Parameters<typeof parse>): DocumentNode {
  try {
    return parseFn(source, { ...options, maxTokens: limits.tokens });
  } catch (error) {
    // graphql-js has no other mark for it.
    if (error instanceof GraphQLError && error.message.includes('tokens. Parsing aborted'))
      throw excess('tokens', `The document has more than ${limits.tokens} tokens.`);
    throw error;
  }
}

/** The context of a request, by what Yoga passes to plugins. All documents of a holder wait in one queue. */
const getContext = (asked: unknown): Context => (asked as { context: Context }).context;

/**
 * The errors of a document that is to be trusted, as far as they don't depend on variables.
 * @throws GraphQLError if it can't be parsed
 */
export function documentErrors(schema: GraphQLSchema, text: string): readonly GraphQLError[] {
  const tooLong = exceeded({ characters: text.length }, limitsOfTrusted);
  return tooLong.length > 0 ? tooLong : validate(schema, parse(text), validationRules, { maxErrors });
}

/** The lists of a document that read many rows, for the message of one that costs too much. */
const explainScans = (scans: ReadonlySet<string>): string =>
  scans.size > 0 ? ` These read many rows: ${[...scans].slice(0, maxErrors).join('; ')}.` : '';

/** The exceeded limits, as validation errors of the document. @param explanation why it costs so much, as a sentence */
export function exceeded(counts: Counts, most: Limits = limits, explanation = ''): GraphQLError[] {
  return Object.entries(counts).flatMap(([key, count]) => {
    const name = key as keyof typeof limits;
    const limit = most[name] ?? Infinity;
    const message = `The document has ${count} ${excesses[name].label}, of ${limit} at most.${name === 'cost' ? explanation : ''}`;
    return count > limit ? [excess(name, message)] : [];
  });
}

const excess = (name: keyof typeof limits, message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { code: excesses[name].code, http: { spec: true, status: 400 } } });

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
