import type { ExportChart } from '../../../prisma/client.ts';
import { memberStates } from '../../codes/vat-territory.ts';
import { Decimal } from '../../money/money.ts';
import type { VatCategory } from '../../money/vat-categories.ts';

// The accounts of DATEV's charts (SKR 03 and SKR 04, "Standardkontenrahmen"). Most accounts of revenue are automatic: DATEV takes
// their VAT out of the gross amount, so that a posting has no tax key.

interface Chart {
  /** What the header calls it. */
  name: string;
  bank: string;
  /** Revenue by VAT category; that of S by its rate. */
  revenue: Record<Exclude<VatCategory, 'S' | 'AE' | 'O'>, string> & {
    standard: Readonly<Record<string, string>>;
    /** Of a rate of another member state: distance sales. */
    otherState: string;
    /** Of another rate. It isn't automatic. */
    other: string;
    /** Reverse charge: of a customer in Germany, and in another member state. */
    reverseCharge: { domestic: string; otherState: string };
    /** Not taxable in Germany: of a customer in another member state, and elsewhere. */
    outside: { otherState: string; elsewhere: string };
  };
  expense: { usual: string; byCategory: Readonly<Record<string, string>> };
}

export const charts: Record<ExportChart, Chart> = {
  SKR03: {
    name: '03',
    bank: '1200',
    revenue: {
      standard: { 19: '8400', 7: '8300' },
      otherState: '8320',
      other: '8200',
      Z: '8290',
      E: '8100',
      K: '8125',
      G: '8120',
      reverseCharge: { domestic: '8337', otherState: '8336' },
      outside: { otherState: '8339', elsewhere: '8338' },
    },
    expense: {
      usual: '4900',
      byCategory: {
        advertising: '4600',
        insurance: '4360',
        office: '4930',
        postage: '4910',
        rent: '4210',
        telephone: '4920',
        travel: '4660',
      },
    },
  },
  SKR04: {
    name: '04',
    bank: '1800',
    revenue: {
      standard: { 19: '4400', 7: '4300' },
      otherState: '4320',
      other: '4200',
      Z: '4290',
      E: '4100',
      K: '4125',
      G: '4120',
      reverseCharge: { domestic: '4337', otherState: '4336' },
      outside: { otherState: '4339', elsewhere: '4338' },
    },
    expense: {
      usual: '6300',
      byCategory: {
        advertising: '6600',
        insurance: '6400',
        office: '6815',
        postage: '6800',
        rent: '6310',
        telephone: '6805',
        travel: '6650',
      },
    },
  },
};

const home = 'DE';

/** Rates of Germany, also those of the second half of 2020. */
const germanRates: ReadonlySet<string> = new Set(['19', '7', '16', '5']);

/** Whether a rate is one of another member state, of the customer's country. */
export const isOfOtherState = (category: VatCategory, rate: string, country: string): boolean =>
  category === 'S' && !germanRates.has(rate) && country !== home && memberStates.has(country);

/** The account of revenue. @param rate in per cent, without zeros at its end @param country the customer's */
export function revenueAccount({ revenue }: Chart, category: VatCategory, rate: string, country: string): string {
  const isOtherState = country !== home && memberStates.has(country);
  switch (category) {
    case 'S':
      if (isOfOtherState(category, rate, country)) return revenue.otherState;
      return revenue.standard[rate] ?? revenue.other;
    case 'AE':
      return isOtherState ? revenue.reverseCharge.otherState : revenue.reverseCharge.domestic;
    case 'O':
      return isOtherState ? revenue.outside.otherState : revenue.outside.elsewhere;
    default:
      return revenue[category];
  }
}

/**
 * The account of an expense: one whose number the receipt's category begins with (`4930 Office`), one of a usual category, or that
 * of all other expenses.
 */
export function expenseAccount({ expense }: Chart, category: string | null): string {
  const [named] = /^\d{4}(?!\d)/.exec(category?.trim() ?? '') ?? [];
  return named ?? expense.byCategory[category?.trim().toLowerCase() ?? ''] ?? expense.usual;
}

/** The keys of input VAT ("Vorsteuerschlüssel"): accounts of expenses aren't automatic. */
const inputKeys: Readonly<Record<string, string>> = { 19: '9', 7: '8' };

/** The tax key of an expense; undefined where no VAT, or one of another rate, is in its amount. */
export const inputKey = (rate: string): string | undefined => inputKeys[new Decimal(rate).toFixed()];

/** The ranges of the numbers of partners' accounts, which have a digit more than other accounts. */
export const partnerRanges = {
  debtor: { first: 10_000, last: 69_999 },
  creditor: { first: 70_000, last: 99_998 },
} as const;

/** The account of receipts without a supplier. */
export const anyCreditor = '99999';
