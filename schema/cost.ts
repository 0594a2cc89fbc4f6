import type { GraphQLField } from 'graphql';
import { defaultPage, maxPage, type PageArgs } from './page.ts';

/** What the rows of a list that has no pages are taken for. */
const listLength = 10;

/**
 * What a field costs: 1, and what is asked of it as often as it may be answered. A connection's is the page that is
 * asked for, so that `nodes` and `edges`, which repeat it, count once.
 */
export function costOf(args: object, _context: object, field: Pick<GraphQLField<unknown, unknown>, 'name' | 'type'>) {
  const type = String(field.type);
  if (/Connection!?$/.test(type)) return { field: 1, multiplier: pageLength(args) };
  const isRow = field.name === 'nodes' || field.name === 'edges';
  return { field: 1, multiplier: type.startsWith('[') && !isRow ? listLength : 1 };
}

function pageLength({ first, last }: PageArgs): number {
  return Math.min(Math.max(first ?? last ?? defaultPage, 1), maxPage);
}
