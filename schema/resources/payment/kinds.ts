import type { PaymentKind as PaymentKinds, Row } from '../../../prisma/client.ts';
import { builder } from '../../graphql/builder.ts';

// How payments settle what they pay (DECISIONS.md#d147-settlement).

export const PaymentKind = builder.enumType('PaymentKind', {
  description: 'How a payment settles what it pays.',
  values: {
    PAYMENT: { description: 'Money received or sent.' },
    FEE: { description: 'What a bank kept of the money that the customer paid: an expense without VAT.' },
    CREDIT: { description: "Money of the customer's credit, used for an invoice." },
    CASH_DISCOUNT: { description: 'Deducted for early payment: it lowers the taxable amount (§ 17 (1) UStG).' },
    WRITE_OFF: { description: 'Given up: a loss, of a receipt a gain. VAT stays as it is.' },
    ROUNDING: { description: 'A small difference: a loss, of a receipt a gain. VAT stays as it is.' },
    OVERPAYMENT: { description: "Money received for the customer's credit. It settles nothing yet." },
    CREDIT_REFUND: { description: "Money of the customer's credit, sent back." },
  } satisfies Record<PaymentKinds, object>,
});

/** The column of an invoice or receipt that a kind counts towards; null for what settles neither. */
const columns = {
  PAYMENT: 'paid',
  FEE: 'paid',
  CREDIT: 'paid',
  CASH_DISCOUNT: 'adjusted',
  WRITE_OFF: 'adjusted',
  ROUNDING: 'adjusted',
  OVERPAYMENT: null,
  CREDIT_REFUND: null,
} as const satisfies Record<PaymentKinds, 'paid' | 'adjusted' | null>;

export const getColumn = (kind: PaymentKinds): 'paid' | 'adjusted' | null => columns[kind];

const listKinds = (column: 'paid' | 'adjusted'): PaymentKinds[] =>
  (Object.keys(columns) as PaymentKinds[]).filter((kind) => columns[kind] === column);

/** The kinds that count as paid. */
export const paidKinds = listKinds('paid');

const inSql = (kinds: PaymentKinds[]): string => kinds.map((kind) => `'${kind.toLowerCase()}'`).join(', ');

/** The kinds that count as paid, as a list of SQL. */
export const paidKindsSql = inSql(paidKinds);

/** The kinds that settle without money, as a list of SQL. */
export const adjustedKindsSql = inSql(listKinds('adjusted'));

/** Whether a payment changes a customer's credit only. */
export const isOfCredit = ({ kind }: Pick<Row<'Payment'>, 'kind'>): boolean =>
  kind === 'OVERPAYMENT' || kind === 'CREDIT_REFUND';
