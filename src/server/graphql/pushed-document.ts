import { GraphQLError, Kind, Lexer, parse, Source, TokenKind, visit, type GraphQLSchema } from 'graphql';
import type { Problem } from '../../../schema/errors/errors.ts';
import { documentErrors, limitsOfTrusted } from './document-limits.ts';

// A document that a token registers is a client's text: it is measured before it is parsed, and again before it is validated.
// Its cost, which depends on variables, is checked at each execution.

/** Limits of one document that a token registers: several times what a page of a front end uses. */
export const limitsOfPushed = {
  characters: limitsOfTrusted.characters,
  tokens: 5000,
  /** Brackets within brackets. The parser calls itself for each. */
  nesting: 50,
  operations: 10,
  fragments: 100,
  /** The sum of the squares of how often each field with a selection is there: validation compares every two of a name. */
  comparisons: 40_000,
};

type Limit = keyof typeof limitsOfPushed;

const labels: Record<Limit, string> = {
  characters: 'characters',
  tokens: 'tokens',
  nesting: 'levels of brackets',
  operations: 'operations',
  fragments: 'fragments',
  comparisons: 'comparisons of fields of the same name',
};

/** Finds the problems of a document. Only a document within the limits is validated, which takes time. */
export function findDocumentProblems(schema: GraphQLSchema, text: string): Problem[] {
  try {
    const excess = findExcess({ characters: text.length }) ?? findExcess(measureText(text)) ?? findExcess(count(text));
    if (excess) return [excess];
    return documentErrors(schema, text).map(({ message }) => ['invalid_format', message]);
  } catch (error) {
    if (error instanceof GraphQLError) return [['invalid_format', error.message]];
    throw error;
  }
}

function findExcess(counts: Partial<Record<Limit, number>>): Problem | undefined {
  for (const [name, limit] of Object.entries(limitsOfPushed) as [Limit, number][]) {
    if ((counts[name] ?? 0) <= limit) continue;
    return ['too_many', `Must not have more than ${limit} ${labels[name]}.`, { max: limit }];
  }
  return undefined;
}

/** @throws GraphQLError for a text that has no tokens of GraphQL */
function measureText(text: string): { tokens: number; nesting: number } {
  const lexer = new Lexer(new Source(text));
  const counts = { tokens: 0, nesting: 0 };
  let depth = 0;
  for (let { kind } = lexer.advance(); kind !== TokenKind.EOF; { kind } = lexer.advance()) {
    counts.tokens += 1;
    if (kind === TokenKind.BRACE_L || kind === TokenKind.PAREN_L || kind === TokenKind.BRACKET_L) depth += 1;
    if (kind === TokenKind.BRACE_R || kind === TokenKind.PAREN_R || kind === TokenKind.BRACKET_R) depth -= 1;
    counts.nesting = Math.max(counts.nesting, depth);
    if (counts.tokens > limitsOfPushed.tokens || depth > limitsOfPushed.nesting) break;
  }
  return counts;
}

/** @throws GraphQLError for a syntax error */
function count(text: string): { operations: number; fragments: number; comparisons: number } {
  const document = parse(text);
  const ofKind = (kind: Kind): number => document.definitions.filter((each) => each.kind === kind).length;
  const names = new Map<string, number>();
  visit(document, {
    Field: ({ name, alias, selectionSet }) => {
      const key = (alias ?? name).value;
      if (selectionSet) names.set(key, (names.get(key) ?? 0) + 1);
    },
  });
  const comparisons = [...names.values()].reduce((sum, each) => sum + each * each, 0);
  return { operations: ofKind(Kind.OPERATION_DEFINITION), fragments: ofKind(Kind.FRAGMENT_DEFINITION), comparisons };
}
