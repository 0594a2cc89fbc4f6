import { Decimal } from '../../money/decimal.ts';
import { StatementError, requireDay, quote } from './transaction.ts';

/** Parses a CSV's dates in the user's own format: YYYY, YY, MM, M, DD and D, with separators. */
export function dayReader(format: string): (text: string, where: string) => Date {
  const order: string[] = [];
  const pattern = format.trim().replaceAll(/YYYY|YY|MM?|DD?|[^YMD]+|./g, (part) => {
    const [kind = ''] = part;
    if (!/^(?:YYYY|YY|MM?|DD?)$/.test(part)) return part.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
    order.push(kind);
    // Banks that declare D.M.YYYY also write 01.02.2026, and the other way round if there are separators.
    return kind === 'Y' ? `(\\d{${part.length}})` : /[^YMD]/.test(format) ? String.raw`(\d{1,2})` : String.raw`(\d{2})`;
  });
  if (order.toSorted().join('') !== 'DMY')
    throw new StatementError(null, `can't be read with the date format ${quote(format)}: it needs one YYYY, MM and DD`);
  // A time of day may follow, and is ignored.
  const date = new RegExp(`^${pattern}(?:[T ].*)?$`);
  return (text, where) => {
    const parts = date.exec(text.trim());
    if (!parts) throw new StatementError(where, `date isn't ${format}: ${quote(text)}`);
    const part = (kind: string): string => parts[order.indexOf(kind) + 1] ?? '';
    const year = part('Y').length === 2 ? `20${part('Y')}` : part('Y');
    return requireDay(`${year}-${part('M').padStart(2, '0')}-${part('D').padStart(2, '0')}`, where, text);
  };
}

const symbols = /^(?:[A-Z]{3}|[€$£¥])?(.*?)(?:[A-Z]{3}|[€$£¥])?$/s;

/**
 * Reads a CSV's amounts: `1.234,56`, `1 234,56-`, `+12.00`, `(5.00)`, `12,00 S`. A thousands separator must be followed by
 * groups of three digits. A wrong decimal separator is thus an error, and not an amount that is a hundred times too large.
 */
export function amountReader(decimalSeparator: ',' | '.'): (text: string, where: string) => Decimal {
  const [decimal, thousand] = decimalSeparator === ',' ? [',', '.'] : [String.raw`\.`, ','];
  const number = new RegExp(`^(?:\\d+|\\d{1,3}(?:[${thousand}'’]\\d{3})+)(?:${decimal}\\d*)?$|^${decimal}\\d+$`);
  return (text, where) => {
    let digits = symbols.exec(text.replaceAll(/\s/g, '').replaceAll(/[−–]/g, '-'))?.[1] ?? '';
    let isNegative = false;
    const [, open, close] = /^(?:([-+(]).*|.*?([-+SH]))$/.exec(digits) ?? [];
    if (open === '(' && digits.endsWith(')')) [digits, isNegative] = [digits.slice(1, -1), true];
    else if (open === '-' || open === '+') [digits, isNegative] = [digits.slice(1), open === '-'];
    else if (close !== undefined) [digits, isNegative] = [digits.slice(0, -1), close === '-' || close === 'S'];
    if (digits.length > 60 || !number.test(digits))
      throw new StatementError(
        where,
        `amount is no number with the decimal separator "${decimalSeparator}": ${quote(text)}`,
      );
    const plain = digits.replaceAll(decimalSeparator === ',' ? /[.'’]/g : /[,'’]/g, '').replace(',', '.');
    const amount = new Decimal(plain.replace(/\.$/, ''));
    return isNegative && !amount.isZero() ? amount.negated() : amount;
  };
}

const debits = new Set(['D', 'DR', 'DBIT', 'DEBIT', 'S', 'SOLL', 'AF', '-']);
const credits = new Set(['C', 'CR', 'CRDT', 'CREDIT', 'H', 'HABEN', 'BIJ', '+']);

/** An amount with its direction from another column. A sign that contradicts the direction is an error. */
export function directed(amount: Decimal, mark: string, where: string): Decimal {
  const name = mark.trim().toUpperCase();
  if (!debits.has(name) && !credits.has(name))
    throw new StatementError(where, `debit or credit mark isn't known: ${quote(mark)}`);
  if (credits.has(name) && amount.isNegative())
    throw new StatementError(where, `amount has a minus sign, but the mark of a credit: ${quote(mark)}`);
  return debits.has(name) && !amount.isZero() ? amount.abs().negated() : amount;
}
