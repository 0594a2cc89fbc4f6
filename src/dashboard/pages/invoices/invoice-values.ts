import { today } from '../../format/format.ts';
import { randomId } from '../../forms/random-id.ts';
import { orNull, toDecimal, amountField, decimalField } from '../../forms/form-values.ts';
import type { Invoice } from './fields.ts';

/** The form values of a line. */
interface LineValues {
  /** React's key, because lines can be moved. */
  key: string;
  title: string;
  quantity: string;
  unit: string;
  unitPriceNet: string;
  vatRate: string;
}

/** The form values of an invoice. */
export interface InvoiceValues {
  customerId: string | null;
  invoiceDate: string;
  /** '': the server's default. */
  dueDate: string;
  subject: string;
  currency: string;
  items: LineValues[];
}

/** An empty line, with the unit and VAT rate of the previous line. */
export const newLine = (previous?: LineValues): LineValues => ({
  key: randomId(),
  title: '',
  quantity: '1',
  unit: previous?.unit ?? '',
  unitPriceNet: '',
  vatRate: previous?.vatRate ?? '',
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
    quantity: decimalField(quantity),
    unit: unit ?? '',
    unitPriceNet: amountField(unitPriceNet, invoice.currency),
    vatRate: decimalField(vatRate),
  })),
});

const numbersOf = ({ quantity, unitPriceNet, vatRate }: LineValues) => ({
  quantity: toDecimal(quantity),
  unitPriceNet: toDecimal(unitPriceNet),
  vatRate: toDecimal(vatRate),
});

export const inputOf = ({ customerId, invoiceDate, dueDate, subject, currency, items }: InvoiceValues) => ({
  // A missing value is sent, so that the server reports it for the field.
  customerId: customerId ?? '',
  invoiceDate,
  dueDate: dueDate || undefined,
  subject: orNull(subject),
  currency,
  items: items.map((line) => ({ title: line.title, unit: orNull(line.unit), ...numbersOf(line) })),
});

/** The input for the totals. Undefined while a line has no valid numbers. */
export function linesOf({ items, currency }: InvoiceValues) {
  const lines = items.map(numbersOf);
  const valid = lines.every((line) => Object.values(line).every((value) => /^-?\d+(\.\d+)?$/.test(value)));
  return valid ? { currency, items: lines } : undefined;
}
