import { amountField, decimalField, orNull, toDecimal } from '../../forms/form-values.ts';

/** How much of an invoice is taken back. */
export type Extent = 'ALL' | 'LINES' | 'AMOUNTS';

/** A chosen line, with the quantity to take back. */
interface ChosenLine {
  invoiceItemId: string;
  quantity: string;
}

/** A chosen VAT category and rate, with the net amount to take back. */
interface ChosenAmount {
  vatCategory: string;
  vatRate: string;
  net: string;
}

export interface CreditNoteValues {
  extent: Extent;
  reason: string;
  /** '': the server's default. */
  creditNoteDate: string;
  items: ChosenLine[];
  amounts: ChosenAmount[];
}

export const newCreditNote: CreditNoteValues = {
  extent: 'ALL',
  reason: '',
  creditNoteDate: '',
  items: [],
  amounts: [],
};

/** A line of an invoice, and what is left of it. */
export interface LineLeft {
  id: string;
  title: string;
  unit: string | null;
  quantityLeft: string;
}

/** The rest of the lines with a VAT category and rate. */
export interface ShareLeft {
  vatCategory: string;
  vatRate: string;
  net: string;
}

/** All that is left of a line. */
export const wholeLine = ({ id, quantityLeft }: LineLeft): ChosenLine => ({
  invoiceItemId: id,
  quantity: decimalField(quantityLeft),
});

/** All that is left of a share. */
export const wholeShare = ({ vatCategory, vatRate, net }: ShareLeft, currency: string): ChosenAmount => ({
  vatCategory,
  vatRate,
  net: amountField(net, currency),
});

/** The credited lines or amounts, as input. */
const getTaken = ({ extent, items, amounts }: CreditNoteValues) => ({
  ...(extent === 'LINES' && {
    items: items.map(({ invoiceItemId, quantity }) => ({ invoiceItemId, quantity: toDecimal(quantity) })),
  }),
  ...(extent === 'AMOUNTS' && {
    amounts: amounts.map(({ vatCategory, vatRate, net }) => ({ vatCategory, vatRate, net: toDecimal(net) })),
  }),
});

export const buildInput = (invoiceId: string, values: CreditNoteValues) => ({
  invoiceId,
  reason: orNull(values.reason),
  creditNoteDate: values.creditNoteDate || undefined,
  ...getTaken(values),
});

/** The input for the preview. Undefined while nothing is chosen, or while a number is not valid. */
export function buildPreviewInput(invoiceId: string, values: CreditNoteValues) {
  const taken = getTaken(values);
  const numbers = [
    ...(taken.items ?? []).map(({ quantity }) => quantity),
    ...(taken.amounts ?? []).map(({ net }) => net),
  ];
  const isWhole = values.extent === 'ALL' || numbers.length > 0;
  return isWhole && numbers.every((number) => /^-?\d+(\.\d+)?$/.test(number)) ? { invoiceId, ...taken } : undefined;
}
