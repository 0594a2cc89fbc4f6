import { today } from '../../format/format.ts';
import { randomId } from '../../forms/random-id.ts';
import { orNull, toDecimal, typedAmount, typedDecimal } from '../../forms/form-values.ts';
import type { Invoice } from './fields.ts';

/** A line as it is typed. */
export interface LineValues {
  /** For React: lines change places. */
  key: string;
  title: string;
  quantity: string;
  unit: string;
  unitPriceNet: string;
  vatRate: string;
}

/** An invoice as it is typed. */
export interface InvoiceValues {
  customerId: string | null;
  invoiceDate: string;
  /** '': as the server sets it. */
  dueDate: string;
  subject: string;
  currency: string;
  items: LineValues[];
}

/** An empty line; its VAT is that of the line before. */
export const newLine = (before?: LineValues): LineValues => ({
  key: randomId(),
  title: '',
  quantity: '1',
  unit: before?.unit ?? '',
  unitPriceNet: '',
  vatRate: before?.vatRate ?? '',
});

export const newInvoice = (customerId: string | null, currency: string): InvoiceValues => ({
  customerId,
  invoiceDate: today(),
  dueDate: '',
  subject: '',
  currency,
  items: [newLine()],
});

export const valuesOf = (invoice: Invoice): InvoiceValues => ({
  customerId: invoice.customer.id,
  invoiceDate: invoice.invoiceDate,
  dueDate: invoice.dueDate,
  subject: invoice.subject ?? '',
  currency: invoice.currency,
  items: invoice.items.map(({ id, title, quantity, unit, unitPriceNet, vatRate }) => ({
    key: id,
    title,
    quantity: typedDecimal(quantity),
    unit: unit ?? '',
    unitPriceNet: typedAmount(unitPriceNet, invoice.currency),
    vatRate: typedDecimal(vatRate),
  })),
});

const numbersOf = ({ quantity, unitPriceNet, vatRate }: LineValues) => ({
  quantity: toDecimal(quantity),
  unitPriceNet: toDecimal(unitPriceNet),
  vatRate: toDecimal(vatRate),
});

export const inputOf = ({ customerId, invoiceDate, dueDate, subject, currency, items }: InvoiceValues) => ({
  // What is missing is sent as it is: the server says so, beside the field.
  customerId: customerId ?? '',
  invoiceDate,
  dueDate: dueDate || undefined,
  subject: orNull(subject),
  currency,
  items: items.map((line) => ({ title: line.title, unit: orNull(line.unit), ...numbersOf(line) })),
});

/** What the totals follow from; undefined while a line isn't whole. */
export function linesOf({ items, currency }: InvoiceValues) {
  const lines = items.map(numbersOf);
  const whole = lines.every((line) => Object.values(line).every((value) => /^-?\d+(\.\d+)?$/.test(value)));
  return whole ? { currency, items: lines } : undefined;
}
