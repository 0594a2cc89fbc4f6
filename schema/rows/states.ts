import type {
  BulkOperationStatus,
  DeliveryState,
  ExportStatus,
  InvoiceStatus,
  MatchStatus,
  ReceiptStatus,
} from '../../prisma/generated/client/client.ts';

/** A transition from any of some states to one of others. */
export interface Transition<State extends string = string> {
  /** Empty where it creates the resource. */
  from: readonly State[];
  /** Empty where it deletes the resource. */
  to: readonly State[];
  /** The mutations that do it; none where a job does it. */
  by: readonly string[];
  /** Its condition, for people. */
  when?: string;
}

type Transitions<State extends string> = Readonly<Record<string, Transition<State>>>;

/**
 * The transitions of each resource with states (DECISIONS.md#d14-transitions). Mutations check the state by this table, and the
 * page /docs/states is drawn from it. test/docs/states.test.ts compares it with what the database sees.
 */
export const transitions = {
  Invoice: {
    create: {
      from: [],
      to: ['DRAFT', 'ISSUED', 'PAID'],
      by: ['createInvoice', 'importInvoices', 'billProject'],
      when: 'as its `status` says; a draft without one',
    },
    issue: { from: ['DRAFT'], to: ['ISSUED'], by: ['issueInvoice'], when: 'it gets its number' },
    settle: {
      from: ['ISSUED'],
      to: ['PAID'],
      by: ['payInvoice', 'matchBankTransaction', 'createCreditNote', 'issueInvoice'],
      when: 'nothing is due any more',
    },
    reopen: {
      from: ['PAID'],
      to: ['ISSUED'],
      by: ['reversePayment', 'unmatchBankTransaction'],
      when: 'something is due again',
    },
    cancel: { from: ['ISSUED'], to: ['CANCELLED'], by: ['cancelInvoice'], when: 'nothing is paid' },
    delete: { from: ['DRAFT'], to: [], by: ['deleteInvoice'] },
  },
  Receipt: {
    create: {
      from: [],
      to: ['DRAFT', 'BOOKED', 'PAID', 'REVERSED'],
      by: ['createReceipt', 'importReceipts', 'reverseReceipt'],
      when: 'as its `status` says; an imported one can be paid; one that reverses another is reversed as well',
    },
    book: { from: ['DRAFT'], to: ['BOOKED'], by: ['bookReceipt'] },
    settle: {
      from: ['BOOKED'],
      to: ['PAID'],
      by: ['payReceipt', 'matchBankTransaction'],
      when: 'nothing is due any more',
    },
    reopen: { from: ['PAID'], to: ['BOOKED'], by: ['reversePayment', 'unmatchBankTransaction'] },
    reverse: {
      from: ['BOOKED', 'PAID'],
      to: ['REVERSED'],
      by: ['reverseReceipt', 'deleteReceipt'],
      when: 'it has no payments',
    },
    delete: { from: ['DRAFT'], to: [], by: ['deleteReceipt'] },
  },
  BankTransaction: {
    create: {
      from: [],
      to: ['UNMATCHED', 'MATCHED'],
      by: ['importBankStatement'],
      when: 'matched only if its amount is zero',
    },
    match: {
      from: ['UNMATCHED', 'PARTIALLY_MATCHED'],
      to: ['PARTIALLY_MATCHED', 'MATCHED'],
      by: ['matchBankTransaction', 'confirmExactMatches', 'importBankStatement'],
      when: 'matched if nothing of it is open',
    },
    unmatch: {
      from: ['PARTIALLY_MATCHED', 'MATCHED'],
      to: ['UNMATCHED', 'PARTIALLY_MATCHED'],
      by: ['unmatchBankTransaction'],
      when: 'unmatched if no match is left',
    },
    ignore: { from: ['UNMATCHED'], to: ['IGNORED'], by: ['ignoreBankTransaction'] },
    unignore: { from: ['IGNORED'], to: ['UNMATCHED'], by: ['unignoreBankTransaction'] },
  },
  Delivery: {
    create: {
      from: [],
      to: ['WAITING', 'SET_ASIDE'],
      by: ['pingWebhook', 'redeliver', 'redeliverMissed'],
      when: 'also at each event of its webhook; set aside if the webhook is off',
    },
    deliver: {
      from: ['WAITING', 'SET_ASIDE'],
      to: ['DELIVERED'],
      by: [],
      when: 'an attempt is answered with 2xx; one under way when its webhook was turned off counts',
    },
    fail: { from: ['WAITING', 'SET_ASIDE'], to: ['FAILED'], by: [], when: 'the last attempt fails' },
    setAside: { from: ['WAITING'], to: ['SET_ASIDE'], by: [], when: 'its webhook is turned off' },
  },
  BulkOperation: {
    create: { from: [], to: ['PENDING'], by: ['startBulkOperation'] },
    start: { from: ['PENDING'], to: ['RUNNING'], by: [], when: 'it is its turn' },
    complete: { from: ['RUNNING'], to: ['COMPLETED'], by: [], when: 'all lines are done' },
    fail: { from: ['PENDING', 'RUNNING'], to: ['FAILED'], by: [], when: 'it can’t go on' },
    cancel: { from: ['PENDING', 'RUNNING'], to: ['CANCELLED'], by: ['cancelBulkOperation'] },
  },
  Export: {
    create: { from: [], to: ['PENDING'], by: ['createExport'] },
    start: { from: ['PENDING'], to: ['RUNNING'], by: [], when: 'it is its turn' },
    complete: { from: ['RUNNING'], to: ['COMPLETED'], by: [], when: 'its file is stored' },
    fail: { from: ['PENDING', 'RUNNING'], to: ['FAILED'], by: [], when: 'it can’t be written' },
    cancel: { from: ['PENDING', 'RUNNING'], to: ['CANCELLED'], by: ['cancelExport'] },
  },
} as const satisfies {
  Invoice: Transitions<InvoiceStatus>;
  Receipt: Transitions<ReceiptStatus>;
  BankTransaction: Transitions<MatchStatus>;
  Delivery: Transitions<DeliveryState>;
  BulkOperation: Transitions<BulkOperationStatus>;
  Export: Transitions<ExportStatus>;
};

/** Whether a resource in this state can take this transition. */
export const allows = ({ from }: { from: readonly string[] }, state: string): boolean => from.includes(state);
