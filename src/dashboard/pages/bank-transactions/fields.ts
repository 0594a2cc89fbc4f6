import { graphql, type EnumOf, type FragmentOf } from '../../graphql.ts';
import { formatIban } from '../../format/iban.ts';
import { t } from '../../i18n/t.ts';

export const BankTransactionFields = graphql(`
  fragment BankTransactionFields on BankTransaction {
    id
    bookingDate
    amount
    amountOpen
    currency
    counterpartyName
    counterpartyIban
    reference
    matchStatus
  }
`);

export type BankTransaction = FragmentOf<typeof BankTransactionFields>;

/** An invoice, a receipt, or a credit note, in a common form. */
export interface Payable {
  type: EnumOf<'MatchType'>;
  id: string;
  /** `Invoice 2026-0012` */
  name: string;
  partner: string;
  /** The day of the document; empty for a customer's credit. */
  date: string;
}

/** An invoice, receipt, or credit note that can be paid or deducted, with the amount due. */
export interface Found extends Payable {
  due: string;
  currency: string;
  /** Its customer or supplier. */
  partnerId: string | null;
  /** Whether it nets with what the transaction pays: a credit note, for money received. */
  isDeducted: boolean;
  /** Whether a payment can settle its rest. */
  canAdjust: boolean;
}

export const isMoneyOut = ({ amount }: Pick<BankTransaction, 'amount'>): boolean => amount.startsWith('-');

/** An amount without its sign. */
export const unsigned = (amount: string): string => amount.replace('-', '');

/** A transaction's name: the counterparty's name, or else its account. */
export const getName = ({ counterpartyName, counterpartyIban }: BankTransaction): string =>
  counterpartyName ?? (counterpartyIban ? formatIban(counterpartyIban) : t('Bank transaction'));
