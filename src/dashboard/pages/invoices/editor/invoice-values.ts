import { today } from '../../../format/format.ts';
import { randomId } from '../../../forms/random-id.ts';
import { orNull, toDecimal, amountField, decimalField } from '../../../forms/form-values.ts';
import type { Invoice } from '../fields.ts';
import { t } from '../../../i18n/t.ts';

/** The form values of a line. */
interface LineValues {
  /** React's key, because lines can be moved. */
  key: string;
  title: string;
  quantity: string;
  unit: string;
  unitPriceNet: string;
  vatRate: string;
  description: string;
  discountPercent: string;
  /** Null: by the VAT rate. */
  vatCategory: string | null;
  exemptionReason: string;
  /** '': by the unit. */
  unitCode: string;
  servicePeriodStart: string;
  servicePeriodEnd: string;
}

/** The details of a line, which are folded away. */
export const lineDetails = [
  'description',
  'discountPercent',
  'vatCategory',
  'exemptionReason',
  'unitCode',
  'servicePeriodStart',
  'servicePeriodEnd',
] as const satisfies (keyof LineValues)[];

/** Whether a line has details that the user has given. A unit's code may only follow from the unit. */
export const hasDetails = (line: LineValues): boolean =>
  lineDetails.some((name) => name !== 'unitCode' && Boolean(line[name]));

export const vatCategories = [
  { value: 'S', label: t('S · Taxed') },
  { value: 'Z', label: t('Z · Taxed at 0 %') },
  { value: 'E', label: t('E · Exempt') },
  { value: 'AE', label: t('AE · Reverse charge') },
  { value: 'K', label: t('K · Supply within the EU') },
  { value: 'G', label: t('G · Export') },
  { value: 'O', label: t('O · Not subject to VAT') },
];

/** The categories that follow from the VAT rate. */
export const usualCategories: ReadonlySet<string> = new Set(['S', 'Z']);

/** The form values of an invoice. */
export interface InvoiceValues {
  customerId: string | null;
  invoiceDate: string;
  /** '': the server's default. */
  dueDate: string;
  /** '': none. */
  deliveryDate: string;
  subject: string;
  currency: string;
  /** '': none, as for its day and source. */
  exchangeRate: string;
  exchangeRateDate: string;
  exchangeRateSource: string;
  items: LineValues[];
}

/** An empty line, with the unit and the VAT of the previous line. */
export const newLine = (previous?: LineValues): LineValues => ({
  key: randomId(),
  title: '',
  quantity: '1',
  unit: previous?.unit ?? '',
  unitPriceNet: '',
  vatRate: previous?.vatRate ?? '',
  description: '',
  discountPercent: '',
  vatCategory: previous?.vatCategory ?? null,
  exemptionReason: previous?.exemptionReason ?? '',
  unitCode: '',
  servicePeriodStart: '',
  servicePeriodEnd: '',
});

const noRate = { exchangeRate: '', exchangeRateDate: '', exchangeRateSource: '' };

/** @param vatRate of the first line */
export const newInvoice = (customerId: string | null, currency: string, vatRate?: string): InvoiceValues => ({
  customerId,
  invoiceDate: today(),
  dueDate: '',
  deliveryDate: '',
  subject: '',
  currency,
  ...noRate,
  items: [{ ...newLine(), ...(vatRate !== undefined && { vatRate: decimalField(vatRate) }) }],
});

export const buildValues = (invoice: Invoice): InvoiceValues => ({
  customerId: invoice.customer.id,
  invoiceDate: invoice.invoiceDate,
  dueDate: invoice.dueDate,
  deliveryDate: invoice.deliveryDate ?? '',
  subject: invoice.subject ?? '',
  currency: invoice.currency,
  exchangeRate: invoice.exchangeRate === null ? '' : decimalField(invoice.exchangeRate),
  exchangeRateDate: invoice.exchangeRateDate ?? '',
  exchangeRateSource: invoice.exchangeRateSource ?? '',
  items: invoice.items.map((line) => ({
    key: line.id,
    title: line.title,
    quantity: decimalField(line.quantity),
    unit: line.unit ?? '',
    unitPriceNet: amountField(line.unitPriceNet, invoice.currency),
    vatRate: decimalField(line.vatRate),
    description: line.description ?? '',
    discountPercent: line.discountPercent === '0' ? '' : decimalField(line.discountPercent),
    vatCategory: usualCategories.has(line.vatCategory) ? null : line.vatCategory,
    exemptionReason: line.exemptionReason ?? '',
    unitCode: line.unitCode,
    servicePeriodStart: line.servicePeriodStart ?? '',
    servicePeriodEnd: line.servicePeriodEnd ?? '',
  })),
});

/** A new invoice with the same customer and lines. Dates of supply and the exchange rate are of the former one. */
export function copyValues(invoice: Invoice): InvoiceValues {
  const values = buildValues(invoice);
  const undated = { servicePeriodStart: '', servicePeriodEnd: '' };
  return {
    ...values,
    ...noRate,
    invoiceDate: today(),
    dueDate: '',
    deliveryDate: '',
    items: values.items.map((line) => ({ ...line, ...undated, key: randomId() })),
  };
}

const parseNumbers = ({ quantity, unitPriceNet, vatRate, discountPercent }: LineValues) => ({
  quantity: toDecimal(quantity),
  unitPriceNet: toDecimal(unitPriceNet),
  vatRate: toDecimal(vatRate),
  discountPercent: toDecimal(discountPercent) || '0',
});

export const buildInput = ({
  customerId,
  invoiceDate,
  dueDate,
  subject,
  currency,
  items,
  ...values
}: InvoiceValues) => ({
  // A missing value is sent, so that the server reports it for the field.
  customerId: customerId ?? '',
  invoiceDate,
  dueDate: dueDate || undefined,
  deliveryDate: values.deliveryDate || null,
  subject: orNull(subject),
  currency,
  exchangeRate: toDecimal(values.exchangeRate) || null,
  exchangeRateDate: values.exchangeRateDate || null,
  exchangeRateSource: orNull(values.exchangeRateSource),
  items: items.map((line) => ({
    title: line.title,
    unit: orNull(line.unit),
    ...parseNumbers(line),
    description: orNull(line.description),
    vatCategory: line.vatCategory,
    exemptionReason: orNull(line.exemptionReason),
    unitCode: orNull(line.unitCode),
    servicePeriodStart: line.servicePeriodStart || null,
    servicePeriodEnd: line.servicePeriodEnd || null,
  })),
});

/** The input for the totals. Undefined while a line has no valid numbers. */
export function buildLines({ items, currency }: InvoiceValues) {
  const lines = items.map(parseNumbers);
  const valid = lines.every((line) => Object.values(line).every((value) => /^-?\d+(\.\d+)?$/.test(value)));
  return valid ? { currency, items: lines } : undefined;
}
