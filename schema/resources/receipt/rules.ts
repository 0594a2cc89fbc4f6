import type { CreateReceiptInput, ReceiptUpdate } from './mutations.ts';
import type { Readable } from '../../graphql/plugins/authorization-and-validation.ts';
import type { Context } from '../../graphql/context.ts';
import { type Problems, refuse } from '../../errors/errors.ts';
import type { Row } from '../../../prisma/client.ts';
import { requireExisting } from '../../graphql/input/references.ts';
import { exchangeRules } from '../exchange-rate.ts';
import { Decimal, fits, maxDigits, minorDigits } from '../../money/money.ts';
import { completeLine, sumLines, type Line, type NewLine } from './lines.ts';

export type ReceiptInput = Readable<typeof CreateReceiptInput.$inferInput | ReceiptUpdate>;

/** The receipt that an input changes, with its lines. */
export type Current = Row<'Receipt'> & { currentLines: Line[] };

/** @param current the receipt that the input changes; nothing for a new one */
export function receiptRules(input: ReceiptInput, context: Context, problems: Problems, current?: Current): void {
  problems.defer(() => requireExisting(context, problems, 'project', input.projectId));
  const currency = input.currency ?? current?.currency ?? context.tenant.defaultCurrency;
  const creditedId = 'creditedReceiptId' in input ? input.creditedReceiptId : current?.creditedReceiptId;
  const bounds: Bounds = { problems, isCredit: creditedId != null, digits: minorDigits(currency) };
  const gross = input.amountGross ?? (input.lines ? undefined : current?.amountGross);
  if (gross) checkAmount(bounds, 'input.amountGross', gross);
  const lines = input.lines ? checkLines(bounds, input.lines, currency) : [];
  if (input.lines) {
    // Lines are undefined if one of them has a problem, which is reported already.
    if (lines) checkSums(input, lines, bounds);
  } else if (!current) {
    const isMissing = input.amountGross === undefined && !problems.has('input.amountGross');
    if (isMissing && !problems.has('input.lines')) problems.add('input.amountGross', 'required', 'Required.');
  } else {
    checkOneLine(input, current, bounds);
  }
  const total = input.lines ? lines && sumLines(lines).amountGross : gross;
  const prepaid = input.amountPrepaid ?? current?.amountPrepaid;
  if (prepaid && total) checkPrepaid(bounds, prepaid, total);
  exchangeRules(input, context, problems, total, current);
}

interface Bounds {
  problems: Problems;
  isCredit: boolean;
  digits: number;
}

type Amount = Row<'Receipt'>['amountGross'];

/** The gross amount of a receipt: only that of a supplier's credit is negative. */
function checkAmount(bounds: Bounds, path: string, amount: Amount | Decimal): void {
  checkSign(bounds, path, new Decimal(amount));
  checkDecimals(bounds, path, amount);
}

function checkSign({ problems, isCredit }: Bounds, path: string, value: Decimal, must = 'Must'): void {
  if (value.lessThan(0) && !isCredit) problems.add(path, 'out_of_range', `${must} be at least 0.`, { min: 0 });
  if (value.greaterThan(0) && isCredit)
    problems.add(path, 'wrong_sign', `${must} not be more than 0: a credit is negative.`, {
      expected: 'negative',
    });
}

function checkDecimals({ problems, digits }: Bounds, path: string, amount: Amount | Decimal): void {
  if (new Decimal(amount).decimalPlaces() > digits)
    problems.add(path, 'too_many_decimals', `Must not have more than ${digits} decimals in this currency.`, {
      max: digits,
    });
}

type ReadableLine = Readable<NewLine> | undefined;

/** @returns the lines in full; undefined where one of them is wrong */
function checkLines(bounds: Bounds, lines: ReadableLine[], currency: string): Line[] | undefined {
  const { problems } = bounds;
  const all: Line[] = [];
  for (const [index, line] of lines.entries()) {
    const path = `input.lines.${index}`;
    const isRead = line && !Object.keys(problems.byField).some((at) => at.startsWith(`${path}.`));
    const checked = isRead ? checkLine(bounds, path, line, currency) : undefined;
    if (checked) all.push(checked);
  }
  return all.length === lines.length ? all : undefined;
}

/** @returns the line in full; undefined if it is wrong */
function checkLine(bounds: Bounds, path: string, line: NewLine, currency: string): Line | undefined {
  const { problems } = bounds;
  if (!line.amountNet && !line.amountGross)
    return void problems.add(`${path}.amountGross`, 'required', 'Required, unless there is a net amount.');
  const before = Object.keys(problems.byField).length;
  const isRight = (): boolean => Object.keys(problems.byField).length === before;
  for (const name of ['amountNet', 'amountGross', 'vatAmount'] as const) {
    const amount = line[name];
    if (amount) checkDecimals(bounds, `${path}.${name}`, amount);
  }
  if (!isRight()) return undefined;
  const whole = completeLine(line, currency);
  const { vatCategory: category, vatRate: rate, amountNet, vatAmount, amountGross } = whole;
  if ((category === 'S') === rate.isZero() && !['AE', 'K', 'IMPORT'].includes(category)) {
    const message = rate.isZero() ? 'S needs a VAT rate above 0.' : 'Must be S, as the VAT rate is above 0.';
    problems.add(`${path}.vatCategory`, 'inconsistent', message);
  }
  if (!amountNet.plus(vatAmount).equals(amountGross))
    problems.add(`${path}.vatAmount`, 'inconsistent', 'Must be the gross amount less the net amount.');
  if (category === 'IMPORT' && !amountNet.isZero())
    problems.add(`${path}.amountNet`, 'inconsistent', 'Import VAT is the whole amount: it has no net amount.');
  if (category !== 'S' && category !== 'IMPORT' && !vatAmount.isZero())
    problems.add(`${path}.vatAmount`, 'inconsistent', `Must be 0: the VAT category ${category} states no VAT.`);
  if (vatAmount.abs().greaterThan(amountGross.abs()) || amountNet.abs().greaterThan(amountGross.abs()))
    problems.add(`${path}.vatAmount`, 'inconsistent', 'Must not be more than the gross amount.');
  if (![amountNet, vatAmount, amountGross].every(fits))
    problems.add(path, 'total_out_of_range', "The line's total is too large.");
  return isRight() ? whole : undefined;
}

/** A receipt's total and VAT rate are its lines'. A line can take back a part of the total, as a discount does. */
function checkSums({ amountGross, vatRate }: ReceiptInput, lines: Line[], bounds: Bounds): void {
  const { problems } = bounds;
  const sums = sumLines(lines);
  checkSign(bounds, 'input.lines', sums.amountGross, 'Their sum must');
  if (!fits(sums.amountGross))
    problems.add('input.lines', 'total_out_of_range', `The total must not have more than ${maxDigits} digits.`);
  if (amountGross && !amountGross.equals(sums.amountGross))
    problems.add(
      'input.amountGross',
      'inconsistent',
      `Must be the sum of the lines, ${sums.amountGross.toFixed()}, or be left out.`,
    );
  if (vatRate && !(sums.vatRate && vatRate.equals(sums.vatRate)))
    problems.add(
      'input.vatRate',
      'inconsistent',
      'Must be that of the only line, or be left out: lines have their own.',
    );
}

/** A gross amount, a VAT rate, and a currency for the lines that are there. */
function checkOneLine(input: ReceiptInput, current: Current, bounds: Bounds): void {
  const { problems } = bounds;
  if (current.currentLines.length === 1) return;
  const message = 'This receipt has several lines: change these.';
  if (input.amountGross && !input.amountGross.equals(new Decimal(current.amountGross)))
    problems.add('input.amountGross', 'inconsistent', message);
  if (input.vatRate) problems.add('input.vatRate', 'inconsistent', message);
  const fitsCurrency = current.currentLines.every(({ amountNet, vatAmount }) =>
    [amountNet, vatAmount].every((amount) => amount.decimalPlaces() <= bounds.digits),
  );
  if (!fitsCurrency)
    problems.add(
      'input.currency',
      'inconsistent',
      'The lines have more decimals than this currency: change these, too.',
    );
}

function checkPrepaid(bounds: Bounds, prepaid: Amount | Decimal, total: Amount | Decimal): void {
  const { problems, digits } = bounds;
  const [value, most] = [new Decimal(prepaid), Decimal.max(0, new Decimal(total))];
  if (value.greaterThan(most))
    problems.add('input.amountPrepaid', 'out_of_range', `Must be at most ${most.toFixed()}, the gross amount.`, {
      min: 0,
      max: most.toNumber(),
    });
  if (value.decimalPlaces() > digits)
    problems.add(
      'input.amountPrepaid',
      'too_many_decimals',
      `Must not have more than ${digits} decimals in this currency.`,
      {
        max: digits,
      },
    );
}

/** A receipt names a customer of type supplier. */
export function supplierRules(supplier: Row<'Customer'> | null, problems: Problems): void {
  if (supplier?.type !== 'SUPPLIER') problems.add('input.supplierId', 'not_found', 'There is no such supplier.');
}

/** A credit refers to a receipt of the same supplier that counts, and is no credit itself. */
export function creditedRules(
  credited: Row<'Receipt'> | null,
  { supplierId, currency }: { supplierId?: string | null | undefined; currency: string },
  problems: Problems,
): void {
  const path = 'input.creditedReceiptId';
  if (!credited || credited.status === 'REVERSED') return problems.add(path, 'not_found', 'There is no such receipt.');
  if (credited.status === 'DRAFT' || credited.creditedReceiptId !== null)
    problems.add(path, 'wrong_state', 'Must be a booked receipt, and no credit.');
  if (credited.supplierId !== (supplierId ?? null))
    problems.add(path, 'inconsistent', 'Must be a receipt of the same supplier.');
  if (credited.currency !== currency) problems.add(path, 'wrong_currency', `Must be a receipt in ${currency}.`);
}

/** A credit keeps the supplier and the currency of the receipt that it refers to. */
export function keepCredited(
  input: ReceiptInput,
  { creditedReceiptId, supplierId, currency }: Row<'Receipt'>,
  problems: Problems,
): void {
  if (creditedReceiptId === null) return;
  const message = 'A credit has that of the receipt which it refers to.';
  if (input.supplierId !== undefined && input.supplierId !== supplierId)
    problems.add('input.supplierId', 'inconsistent', message);
  if (input.currency && input.currency !== currency) problems.add('input.currency', 'inconsistent', message);
}

/** A booked receipt stays as it is; a reversed one wholly. Metadata and the id in another system are no part of the books. */
export function refuseBooked({ status }: Row<'Receipt'>, input: object): void {
  const isOfBooks = Object.keys(input).some((field) => field !== 'externalId' && field !== 'metadata');
  if (status === 'REVERSED' || (status !== 'DRAFT' && isOfBooks))
    refuse('status', 'not_a_draft', 'A booked receipt can not be changed: reverse it, and add the right one.');
}
