import { Decimal } from 'decimal.js';
import { amountField, decimalField, orNull, toDecimal } from '../../forms/form-values.ts';
import { minus } from '../../format/decimal.ts';
import { minorDigits } from '../../format/format.ts';
import { randomId } from '../../forms/random-id.ts';
import { t } from '../../i18n/t.ts';

/** The form values of a line. */
export interface LineValues {
  /** React's key, because lines can be removed. */
  key: string;
  description: string;
  amountGross: string;
  vatRate: string;
  account: string;
  /** Null: by the VAT rate. */
  vatCategory: string | null;
  /** '': all of it. */
  deductiblePercent: string;
  /** '': as computed. */
  vatAmount: string;
}

/** The details of a line, which are folded away. */
export const lineDetails = [
  'account',
  'vatCategory',
  'deductiblePercent',
  'vatAmount',
] as const satisfies (keyof LineValues)[];

export const vatCategories = [
  { value: 'E', label: t('E · Exempt') },
  { value: 'AE', label: t('AE · Reverse charge') },
  { value: 'K', label: t('K · Acquisition within the EU') },
  { value: 'IMPORT', label: t('Import VAT paid to the customs') },
  { value: 'G', label: t('G · Outside the EU') },
  { value: 'O', label: t('O · Not subject to VAT') },
];

const usualCategories: ReadonlySet<string> = new Set(['S', 'Z']);
const hasStatedVat = (category: string): boolean => category === 'S';

export const newLine = (values: Partial<LineValues> = {}): LineValues => ({
  key: randomId(),
  description: '',
  amountGross: '',
  vatRate: '',
  account: '',
  vatCategory: null,
  deductiblePercent: '',
  vatAmount: '',
  ...values,
});

/** A line as a receipt answers it. */
interface StoredLine {
  position: number;
  description: string | null;
  account: string | null;
  vatCategory: string;
  vatRate: string;
  deductiblePercent: string;
  vatAmount: string;
  amountGross: string;
}

interface Lines {
  lines: readonly StoredLine[];
  currency: string;
}

/** Whether the amounts and the rate of a receipt say all of its line. */
export const isUsual = ({ description, account, vatCategory, deductiblePercent }: StoredLine): boolean =>
  description === null && account === null && usualCategories.has(vatCategory) && deductiblePercent === '100';

/** Whether the VAT is what the gross amount includes at the rate. A document may state another. */
function isVatIncluded({ amountGross, vatRate, vatAmount }: StoredLine, currency: string): boolean {
  const included = new Decimal(amountGross).times(vatRate).dividedBy(new Decimal(vatRate).plus(100));
  return included.toDecimalPlaces(minorDigits(currency)).equals(vatAmount);
}

/** The lines of a receipt in a form; none for one line that its gross amount and its rate say all of. */
export const buildLineValues = ({ lines, currency }: Lines): LineValues[] =>
  lines.length === 1 && lines.every((line) => isUsual(line) && isVatIncluded(line, currency))
    ? []
    : lines.map((line) => ({
        key: `line ${line.position}`,
        description: line.description ?? '',
        amountGross: amountField(line.amountGross, currency),
        vatRate: decimalField(line.vatRate),
        account: line.account ?? '',
        vatCategory: usualCategories.has(line.vatCategory) ? null : line.vatCategory,
        deductiblePercent: line.deductiblePercent === '100' ? '' : decimalField(line.deductiblePercent),
        vatAmount: hasStatedVat(line.vatCategory) ? amountField(line.vatAmount, currency) : '',
      }));

/** The line that takes a line back. */
export const negate = (line: StoredLine): StoredLine => ({
  ...line,
  amountGross: minus('0', line.amountGross) ?? '',
  vatAmount: minus('0', line.vatAmount) ?? '',
});

export const buildLineInput = (line: LineValues) => ({
  description: orNull(line.description),
  account: orNull(line.account),
  vatCategory: line.vatCategory,
  vatRate: toDecimal(line.vatRate) || '0',
  deductiblePercent: toDecimal(line.deductiblePercent) || '100',
  amountGross: toDecimal(line.amountGross),
  vatAmount: toDecimal(line.vatAmount) || null,
});
