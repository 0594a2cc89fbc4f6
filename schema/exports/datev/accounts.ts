import type { ExportChart } from '../../../prisma/client.ts';
import { germanRates } from '../../codes/german-rates.ts';
import { memberStates } from '../../codes/vat-territory.ts';
import type { ReceiptVatCategory, VatCategory } from '../../money/vat-categories.ts';

// The accounts of DATEV's charts (SKR 03 and SKR 04, "Standardkontenrahmen"). Most accounts of revenue are automatic: DATEV takes
// their VAT out of the gross amount, so that a posting has no tax key.

interface Chart {
  /** Its name in the header. */
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
  /** Where no tax key says it: VAT that is owed, and input VAT, by rate; import VAT; and both that the buyer owes. */
  vat: {
    output: Readonly<Record<string, string>> & { other: string; otherState: string };
    input: Readonly<Record<string, string>> & { other: string };
    import: string;
    byBuyer: Record<'AE' | 'K', { owed: string; input: string }>;
  };
  cashDiscount: { granted: string; received: string };
  /** Losses of receivables, and what suppliers gave up. */
  loss: { fee: string; writeOff: string; rounding: string };
  gain: string;
  /** Gains and losses of payments against the exchange rates of their documents. */
  exchange: { gain: string; loss: string };
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
    vat: {
      output: { 19: '1776', 7: '1771', other: '1770', otherState: '1767' },
      input: { 19: '1576', 7: '1571', other: '1570' },
      import: '1588',
      byBuyer: { AE: { owed: '1785', input: '1578' }, K: { owed: '1772', input: '1572' } },
    },
    cashDiscount: { granted: '8730', received: '3730' },
    loss: { fee: '4970', writeOff: '2400', rounding: '4900' },
    gain: '2700',
    exchange: { gain: '2660', loss: '2150' },
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
    vat: {
      output: { 19: '3806', 7: '3801', other: '3800', otherState: '3817' },
      input: { 19: '1406', 7: '1401', other: '1400' },
      import: '1433',
      byBuyer: { AE: { owed: '3835', input: '1408' }, K: { owed: '3802', input: '1402' } },
    },
    cashDiscount: { granted: '4730', received: '5730' },
    loss: { fee: '6855', writeOff: '6930', rounding: '6300' },
    gain: '4830',
    exchange: { gain: '4840', loss: '6880' },
  },
};

/** The country of the charts. */
export const home = 'DE';

/** Whether a rate is one of another member state, of the customer's country. */
export const isOfOtherState = (category: VatCategory, rate: string, country: string): boolean =>
  category === 'S' && !germanRates.has(rate) && country !== home && memberStates.has(country);

/**
 * The account of revenue.
 * @param rate in per cent, without zeros at its end
 * @param country the customer's
 * @param vatCountry the country in whose territory the customer is for VAT
 */
export function revenueAccount(
  { revenue }: Chart,
  category: VatCategory,
  rate: string,
  { country, vatCountry }: { country: string; vatCountry: string },
): string {
  const isOtherState = vatCountry !== home && memberStates.has(vatCountry);
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

/**
 * The account that a line names. DATEV's accounts have four digits here, and partners' one more: of a longer number the rest has to be
 * zeros.
 */
export const namedAccount = (account: string | null): string | undefined =>
  /^(\d{4})0{0,4}$/.exec(account?.trim() ?? '')?.[1];

/** The tax keys ("BU-Schlüssel") of accounts that aren't automatic, by what they compute VAT from, and by rate. */
const keys: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  output: { 19: '3', 7: '2' },
  S: { 19: '9', 7: '8' },
  AE: { 19: '94', 7: '91' },
  K: { 19: '19', 7: '18' },
};

/** The key of what is bought, or of what is sold; undefined where there is none. @param rate without zeros at its end */
export const taxKey = (category: ReceiptVatCategory | 'output', rate: string): string | undefined =>
  keys[category]?.[rate];

/** The key of a posting to an automatic account that leaves VAT to another posting ("Aufhebung der Automatik"). */
export const withoutAutomatic = '40';

/** Whether DATEV takes the VAT of such revenue out of the gross amount. */
export const isAutomatic = ({ revenue }: Chart, account: string): boolean =>
  account === revenue.otherState || Object.values(revenue.standard).includes(account);

/** The account of VAT that is owed for what is sold. */
export function outputVatAccount({ vat }: Chart, rate: string, isOtherState: boolean): string {
  return isOtherState ? vat.output.otherState : (vat.output[rate] ?? vat.output.other);
}

/** The account of VAT that can be deducted. */
export function inputVatAccount({ vat }: Chart, category: ReceiptVatCategory, rate: string): string {
  if (category === 'AE' || category === 'K') return vat.byBuyer[category].input;
  return category === 'IMPORT' ? vat.import : (vat.input[rate] ?? vat.input.other);
}

/** The ranges of the numbers of partners' accounts, which have a digit more than other accounts. */
export const partnerRanges = {
  debtor: { first: 10_000, last: 69_999 },
  creditor: { first: 70_000, last: 99_998 },
} as const;

/** The account of receipts without a supplier. */
export const anyCreditor = '99999';
