import {
  type Clues,
  candidates,
  createCommonClues,
  type CommonClues,
  getText,
  invoicesNumbered,
  receiptsCalled,
  creditNotesNumbered,
  creditNoteCandidate,
  findEarlierPartners,
  type Candidate,
  normal,
} from './candidates.ts';
import { type PayableType, payables } from '../payment/payables.ts';
import { Decimal, minorDigits } from '../../money/money.ts';
import type { Context } from '../../graphql/context.ts';
import { numbersOfReceived, parseReceiptNumbers, parseCreditNoteNumbers, numbersOfSent } from './invoice-references.ts';
import { builder } from '../../graphql/builder.ts';
import { describedEnum } from '../../graphql/described-enum.ts';
import { MatchType, payable, BankTransaction } from './type.ts';
import { resourceIdDescription } from '../../graphql/node.ts';
import { ForbiddenError } from '../../errors/errors.ts';

const reasonCodes = {
  NUMBER_NAMED: 'The reference of the transaction names the number.',
  EXACT_AMOUNT: 'The amount is exactly what is due.',
  EARLIER_PARTNER: 'Earlier transactions of the other account were matched with this customer or supplier.',
  SAME_NAME: 'The counterparty has the name of the customer or supplier.',
};

/** Why a transaction may pay something. */
interface Reason {
  code: keyof typeof reasonCodes;
  /** A sentence for people. */
  message: string;
  number?: string;
  partnerName?: string;
}

/** An invoice, receipt, or credit note that a transaction may pay, with the likelihood and the reasons. */
interface Judged {
  type: PayableType;
  id: string;
  /** The amount that would be matched. */
  amount: Decimal;
  /** 0 to 100. */
  score: number;
  reasons: Reason[];
}

export interface Suggestion extends Judged {
  /** Whether it is the transaction's exact one: see findExact(). */
  isExact: boolean;
}

/** Clues that are looked up once for transactions that are looked at together. */
export interface Together {
  /** The partners whom findEarlierPartners() has found for their accounts. */
  earlier: Map<string | null, Set<string>>;
  common: CommonClues;
}

/** The invoices or receipts that a transaction may pay, likeliest first. None for a matched or ignored transaction. */
export async function suggest(context: Context, transaction: Clues, together?: Together): Promise<Suggestion[]> {
  if (transaction.matchStatus === 'IGNORED') return [];
  const common = together?.common ?? createCommonClues(context);
  // The partner's name is used only for callers who may read customers.
  if (!context.may('customers:read')) {
    const anonymous = { ...transaction, counterpartyIban: null, counterpartyName: null };
    return judged(await candidates(context, anonymous, new Set(), common), anonymous, new Set());
  }
  const { counterpartyIban } = transaction;
  const earlier = together?.earlier ?? (await findEarlierPartners(context, [counterpartyIban]));
  const partners = earlier.get(counterpartyIban) ?? new Set();
  return judged(await candidates(context, transaction, partners, common), transaction, partners);
}

/**
 * For each transaction the invoice, receipt, or credit note that it certainly pays: the only one whose number it names and
 * whose due amount it has exactly. Candidates are read for all transactions at once.
 */
export async function findCertain(context: Context, transactions: Clues[]): Promise<(Suggestion | undefined)[]> {
  const byDirection = Map.groupBy(transactions, ({ amountOpen }) => Math.sign(Number(amountOpen)));
  const texts = (sign: number): string[] => (byDirection.get(sign) ?? []).map(getText);
  const invoices = await invoicesNumbered(context, new Set(texts(1).flatMap(numbersOfReceived)));
  const sent = texts(-1);
  const receipts = await receiptsCalled(context, new Set(sent.flatMap(parseReceiptNumbers)));
  const creditNotes = Map.groupBy(
    (await creditNotesNumbered(context, sent.flatMap(parseCreditNoteNumbers))).map((creditNote) => ({
      ...creditNoteCandidate(creditNote),
      currency: creditNote.currency,
    })),
    ({ number }) => number ?? '',
  );
  return transactions.map((transaction) => {
    const isReceived = new Decimal(transaction.amountOpen).isPositive();
    const text = getText(transaction);
    const named = isReceived ? numbersOfReceived(text) : numbersOfSent(text);
    const possible = named.flatMap((name) =>
      isReceived ? (invoices.get(name) ?? []) : (receipts.get(name) ?? creditNotes.get(name) ?? []),
    );
    const inCurrency = possible.filter(({ currency }) => currency === transaction.currency);
    return judged(inCurrency, transaction, new Set()).find((each) => each.isExact && has(each, 'NUMBER_NAMED'));
  });
}

function judged(all: Candidate[], transaction: Clues, partners: Set<string>): Suggestion[] {
  const suggestions = all
    .map((candidate) => judge(candidate, transaction, partners))
    .filter(({ score, amount }) => score > 0 && amount.greaterThan(0))
    .toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
  const exact = findExact(suggestions);
  return suggestions.map((suggestion) => ({ ...suggestion, isExact: suggestion === exact }));
}

const has = ({ reasons }: Judged, code: Reason['code']): boolean => reasons.some((reason) => reason.code === code);

/**
 * The exact match of a transaction: the only suggestion with exactly the amount due and another reason. If the
 * transaction names numbers, the match is one of those.
 */
function findExact(suggestions: Judged[]): Judged | undefined {
  const named = suggestions.filter((each) => has(each, 'NUMBER_NAMED'));
  const [one, ...others] = (named.length > 0 ? named : suggestions).filter(
    (each) => has(each, 'EXACT_AMOUNT') && each.reasons.length > 1,
  );
  return others.length === 0 ? one : undefined;
}

/** Whether a text names a number. */
const naming: Record<PayableType, (text: string, number: string) => boolean> = {
  INVOICE: (text, number) => numbersOfReceived(text).includes(number),
  RECEIPT: (text, number) => parseReceiptNumbers(text).includes(number.toLowerCase()),
  CREDIT_NOTE: (text, number) => parseCreditNoteNumbers(text).includes(number),
  CUSTOMER: () => false, // has no number
};

function judge(candidate: Candidate, transaction: Clues, partners: Set<string>): Judged {
  const { type, id, number, due, partnerId, partnerName } = candidate;
  const amount = new Decimal(transaction.amountOpen).abs();
  const text = getText(transaction);
  const named = number !== null && naming[type](text, number);
  const reasons: Reason[] = [];
  let score = 0;
  const because = (points: number, reason: Reason): void => {
    score += points;
    reasons.push(reason);
  };
  if (named)
    because(60, { code: 'NUMBER_NAMED', message: `The reference names ${payables[type].name} ${number}.`, number });
  if (due.equals(amount)) because(30, { code: 'EXACT_AMOUNT', message: 'The amount is exactly what is due.' });
  if (partnerId && partnerName && partners.has(partnerId)) {
    const message = `Earlier transactions of this account were ${partnerName}'s.`;
    because(20, { code: 'EARLIER_PARTNER', message, partnerName });
  }
  if (partnerName && transaction.counterpartyName && normal(partnerName) === normal(transaction.counterpartyName)) {
    because(15, { code: 'SAME_NAME', message: `The counterparty is called ${partnerName}, too.`, partnerName });
  }
  const whole = Decimal.min(due, amount).toDecimalPlaces(minorDigits(transaction.currency), Decimal.ROUND_DOWN);
  return { type, id, amount: whole, score: Math.min(score, 100), reasons };
}

const ReasonCode = describedEnum('MatchReasonCode', 'Why a bank transaction may pay something.', reasonCodes);

const ReasonType = builder.objectRef<Reason>('MatchReason').implement({
  description: 'A reason for a suggestion, with what it names, so that programs can say it in their language.',
  fields: (t) => ({
    code: t.expose('code', { type: ReasonCode, description: 'Which reason it is.' }),
    message: t.exposeString('message', { description: 'The reason, as text.' }),
    number: t.string({
      nullable: true,
      description: 'The number that the reference names; null for other reasons.',
      resolve: ({ number }) => number ?? null,
    }),
    partnerName: t.string({
      nullable: true,
      description: 'The name of the customer or supplier; null for reasons that name none.',
      resolve: ({ partnerName }) => partnerName ?? null,
    }),
  }),
});

export const SuggestionType = builder.objectRef<Suggestion>('MatchSuggestion').implement({
  description:
    'What a bank transaction may pay: an invoice, a receipt, or a credit note. matchBankTransaction confirms it, ignoreBankTransaction declines it.',
  fields: (t) => ({
    type: t.expose('type', { type: MatchType, description: 'What it would pay.' }),
    id: t.expose('id', { type: 'UUID', description: 'The id of the invoice, receipt, or credit note.' }),
    resourceId: t.expose('id', {
      type: 'UUID',
      description: resourceIdDescription('The id of the invoice, receipt, or credit note'),
    }),
    amount: t.expose('amount', { type: 'Decimal', description: 'The amount that would be matched; always positive.' }),
    score: t.exposeInt('score', { description: 'The likelihood, from 0 to 100.' }),
    reasons: t.expose('reasons', { type: [ReasonType], description: 'The reasons.' }),
    isExact: t.exposeBoolean('isExact', {
      description:
        'Whether it is the only suggestion with exactly the amount due and another reason; where the reference names numbers, of those that it names.',
    }),
    ...payable(t),
  }),
});

builder.prismaObjectFields(BankTransaction, (t) => ({
  suggestions: t.field({
    type: [SuggestionType],
    description:
      'What this transaction may pay, likeliest first: open invoices and, for those who may read receipts, suppliers’ credits; or booked receipts and, for those who may read invoices, credit notes to be refunded.',
    // By its direction, those of invoices and credits, or those of receipts and credit notes: see below.
    select: {
      amountOpen: true,
      currency: true,
      matchStatus: true,
      counterpartyIban: true,
      counterpartyName: true,
      reference: true,
      externalId: true,
    },
    resolve: (transaction, _args, context) => {
      const ability = transaction.amountOpen.isNegative() ? 'receipts:read' : 'invoices:read';
      if (!context.may(ability)) throw new ForbiddenError(ability);
      return suggest(context, transaction);
    },
  }),
}));
