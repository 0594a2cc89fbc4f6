import type { Ability } from '../ability.ts';
import type { ResourceName } from '../graphql/resource-name.ts';

/**
 * How a cell's text is read. `REFERENCE` is an id in the other system, or a name; `DURATION` is minutes, or 1:30; `PERCENT` is a
 * number, or a text that has a percentage, such as `20% (VAT on Income)`.
 */
export type CellType =
  'TEXT' | 'DAY' | 'DECIMAL' | 'INTEGER' | 'PERCENT' | 'BOOLEAN' | 'CHOICE' | 'COUNTRY' | 'DURATION' | 'REFERENCE';

export interface Field {
  type: CellType;
  description: string;
  required?: true;
  /** Whether it isn't a field of the input that creates such a record. */
  isOwn?: true;
  /** Another field, before this one. Where that is 0, so is this one, whatever its cell says. */
  zeroWith?: string;
}

export interface Kind {
  /** In mutations and inputs: `importCustomers`, `CustomerColumnsInput`. */
  name: string;
  plural: string;
  model: 'Customer' | 'Project' | 'Invoice' | 'Receipt' | 'TimeEntry';
  resource: ResourceName;
  write: Ability;
  /** Which other resources its columns name. */
  reads: Ability[];
  fields: Record<string, Field>;
}

const externalId = {
  type: 'TEXT',
  required: true,
  isOwn: true,
  description: 'The id in the other system. A row that was imported before is skipped.',
} as const satisfies Field;
const currency = { type: 'TEXT', description: "ISO 4217. Default: the tenant's." } as const satisfies Field;
const text = (description: string): Field => ({ type: 'TEXT', description });
const day = (description: string): Field => ({ type: 'DAY', description });
const decimal = (description: string): Field => ({ type: 'DECIMAL', description });
const percent = (description: string): Field => ({ type: 'PERCENT', description });
const ofLine = (field: Field): Field => ({ ...field, isOwn: true });
const reference = (description: string): Field => ({ type: 'REFERENCE', isOwn: true, description });
const required = (field: Field): Field => ({ ...field, required: true });

const named = 'its id in the other system, or its name, exactly as here';

/** The records that can be imported, in an order in which they can refer to each other. */
export const kinds: readonly Kind[] = [
  {
    name: 'Customer',
    plural: 'Customers',
    model: 'Customer',
    resource: 'CUSTOMER',
    write: 'customers:write',
    reads: [],
    fields: {
      externalId,
      type: required({ type: 'CHOICE', description: '`customer` or `supplier`.' }),
      companyName: required(text('The name of the company or person.')),
      email: text('The e-mail address.'),
      addressLine1: text('Street and number.'),
      postalCode: text('The postal code.'),
      city: text('The city.'),
      country: {
        type: 'COUNTRY',
        description: 'ISO 3166-1 alpha-2, or the name in English, German, French, or Dutch.',
      },
      vatId: text('The VAT identification number.'),
      contactName: text('The person to ask for.'),
      phone: text('The telephone number.'),
      buyerReference: text('What the partner wants to find on invoices.'),
      electronicAddress: text('Where e-invoices are sent. With its scheme.'),
      electronicAddressScheme: text('The scheme of the electronic address: `0204`, `9930`, `EM`, …'),
      language: text('The language of documents: `de` or `en`.'),
      paymentTermsDays: { type: 'INTEGER', description: 'How many days after its date an invoice is due.' },
    },
  },
  {
    name: 'Project',
    plural: 'Projects',
    model: 'Project',
    resource: 'PROJECT',
    write: 'projects:write',
    reads: ['customers:read'],
    fields: {
      externalId,
      name: required(text("The project's name.")),
      customer: reference(`The customer: ${named}.`),
      description: text('A description of the work.'),
      status: { type: 'CHOICE', description: '`active`, `completed`, or `archived`. Default: active.' },
      hourlyRateNet: decimal('The net price per hour.'),
      currency,
      budgetHours: decimal('The agreed number of hours.'),
      startDate: day('The first day.'),
      endDate: day('The last day.'),
    },
  },
  {
    name: 'Invoice',
    plural: 'Invoices',
    model: 'Invoice',
    resource: 'INVOICE',
    write: 'invoices:write',
    reads: ['customers:read'],
    fields: {
      externalId: {
        ...externalId,
        description: `${externalId.description} Rows with the same id are the lines of one invoice.`,
      },
      number: required({ ...text('The number that the invoice has already. It is kept.'), isOwn: true }),
      customer: required(reference(`The customer: ${named}.`)),
      invoiceDate: required(day('The date of the invoice.')),
      dueDate: day('The last day to pay. Default: 14 days after the invoice date.'),
      deliveryDate: day('The day of the supply, if it was one day.'),
      subject: text('The subject.'),
      currency,
      paidOn: { ...day('The day of the last payment; empty if it is open.'), isOwn: true },
      amountDue: {
        ...decimal(
          'The amount that is still to be paid. Default: 0 if there is a `paidOn`. If something is paid without a `paidOn`, it was on the due date, or today if that is earlier.',
        ),
        isOwn: true,
      },
      totalGross: { ...decimal('The gross total. An error if the lines have another one.'), isOwn: true },
      title: { ...text("The line's title. Default: the subject, or the number."), isOwn: true },
      quantity: { ...decimal("The line's quantity. Default: 1."), isOwn: true },
      unit: { ...text("The line's unit."), isOwn: true },
      unitPriceNet: required({ ...decimal('The net price of one unit.'), isOwn: true }),
      lineTotalNet: {
        ...decimal("The line's net total, after discounts. If quantity and price make another one, the price follows."),
        isOwn: true,
      },
      vatAmount: { ...decimal("The line's VAT. If it is 0, so is the VAT rate."), isOwn: true },
      vatRate: required({ ...percent('Per cent: 19 for 19 %.'), isOwn: true, zeroWith: 'vatAmount' }),
      vatCategory: ofLine(text('The VAT category: S, Z, E, AE, K, G, or O. Default: Z where the rate is 0, else S.')),
      exemptionReason: ofLine(text('Why no VAT is charged, for E, AE, K, G, and O.')),
      unitCode: ofLine(text("The unit's code of UN/ECE Recommendation 20. Default: by the unit.")),
      description: ofLine(text('More about the line.')),
      discountPercent: ofLine(percent('A discount on the line, per cent.')),
      servicePeriodStart: ofLine(day('The first day of the service.')),
      servicePeriodEnd: ofLine(day('The last day of the service.')),
    },
  },
  {
    name: 'Receipt',
    plural: 'Receipts',
    model: 'Receipt',
    resource: 'RECEIPT',
    write: 'receipts:write',
    reads: ['customers:read', 'projects:read'],
    fields: {
      externalId,
      receiptDate: required(day('The date on the receipt.')),
      amountGross: required(decimal('The amount to pay, VAT included.')),
      vatRate: percent('Per cent: 19 for 19 %. Default: 0.'),
      currency,
      supplier: reference(`The supplier: ${named}.`),
      project: reference(`The project: ${named}.`),
      receiptNumber: text("The supplier's own number."),
      dueDate: day('The last day to pay.'),
      description: text('The purpose of the expense.'),
      category: text("A category of the tenant's own choice."),
      paidOn: { ...day('The day on which it was paid in full; empty if it is open.'), isOwn: true },
    },
  },
  {
    name: 'TimeEntry',
    plural: 'TimeEntries',
    model: 'TimeEntry',
    resource: 'TIME_ENTRY',
    write: 'time-entries:write',
    reads: ['projects:read'],
    fields: {
      externalId,
      project: required(reference(`The project: ${named}.`)),
      date: required(day('The day of the work.')),
      duration: { type: 'DURATION', isOwn: true, description: 'The time worked: `1:30`, `1:30:00`, or minutes.' },
      hours: { ...decimal('The time worked in hours, instead of `duration`.'), isOwn: true },
      description: text('What was done.'),
      billable: { type: 'BOOLEAN', description: '`yes` or `no`, `true` or `false`, `1` or `0`. Default: yes.' },
      hourlyRateNet: decimal("The net price per hour. Default: the project's."),
      person: reference('The e-mail address or name of the member who worked. Default: the caller.'),
    },
  },
];
