import type { Node } from 'libpg-query';

/** Functions whose result is the same in the whole statement. A default by others is computed for each row. */
const stable = new Set(['now', 'transaction_timestamp', 'statement_timestamp', 'current_setting', 'to_timestamp']);

/**
 * Whether a default is the same for all rows, so that PostgreSQL keeps it once instead of writing each row. An expression of
 * another kind than the known ones counts as computed.
 */
export function isConstant(expression: Node): boolean {
  if ('A_Const' in expression || 'SQLValueFunction' in expression) return true;
  if ('TypeCast' in expression) return all([expression.TypeCast.arg]);
  if ('A_ArrayExpr' in expression) return all(expression.A_ArrayExpr.elements);
  if ('A_Expr' in expression) return all([expression.A_Expr.lexpr, expression.A_Expr.rexpr]);
  if ('FuncCall' in expression) {
    const { funcname = [], args } = expression.FuncCall;
    const name = funcname.at(-1);
    return name !== undefined && 'String' in name && stable.has(name.String.sval ?? '') && all(args);
  }
  return false;
}

const all = (parts: (Node | undefined)[] = []): boolean =>
  parts.every((part) => part === undefined || isConstant(part));

/** Whether a column's type has a sequence of its own. */
export const isSerial = (type: string): boolean => /^(?:small|big)?serial[248]?$/.test(type);
