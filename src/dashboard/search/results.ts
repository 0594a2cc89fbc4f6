import { useQuery } from 'urql';
import { date, label, money } from '../format/format.ts';
import { toAmount } from '../forms/form-values.ts';
import { graphql, type ResultOf } from '../graphql.ts';
import { navigation } from '../routes.tsx';
import { useMay } from '../session/abilities.ts';
import { t } from '../i18n/t.ts';

const FoundInvoice = graphql(`
  fragment FoundInvoice on Invoice {
    id
    number
    subject
    totalGross
    currency
    customer @include(if: $customers) {
      id
      companyName
    }
  }
`);

const FoundCreditNote = graphql(`
  fragment FoundCreditNote on CreditNote {
    id
    number
    invoiceNumber
    reason
    totalGross
    currency
  }
`);

const FoundReceipt = graphql(`
  fragment FoundReceipt on Receipt {
    id
    receiptNumber
    description
    amountGross
    currency
    supplier @include(if: $customers) {
      id
      companyName
    }
  }
`);

const FoundTransaction = graphql(`
  fragment FoundTransaction on BankTransaction {
    id
    counterpartyName
    reference
    amount
    currency
    bookingDate
  }
`);

const WordsQuery = graphql(
  `
    query Search(
      $q: String!
      $customers: Boolean!
      $invoices: Boolean!
      $receipts: Boolean!
      $projects: Boolean!
      $bankTransactions: Boolean!
    ) {
      customers(first: 5, filter: { q: $q }) @include(if: $customers) {
        nodes {
          id
          companyName
          type
          city
        }
      }
      invoices(first: 5, filter: { q: $q }) @include(if: $invoices) {
        nodes {
          ...FoundInvoice
        }
      }
      creditNotes(first: 5, filter: { q: $q }) @include(if: $invoices) {
        nodes {
          ...FoundCreditNote
        }
      }
      receipts(first: 5, filter: { q: $q }) @include(if: $receipts) {
        nodes {
          ...FoundReceipt
        }
      }
      projects(first: 5, filter: { q: $q }) @include(if: $projects) {
        nodes {
          id
          name
          status
        }
      }
      bankTransactions(first: 5, filter: { q: $q }) @include(if: $bankTransactions) {
        nodes {
          ...FoundTransaction
        }
      }
    }
  `,
  [FoundInvoice, FoundCreditNote, FoundReceipt, FoundTransaction],
);

// A text is searched as words, and as an amount as well if it is one: 2026 may be part of a number, or an amount.
const AmountQuery = graphql(
  `
    query SearchAmount(
      $amounts: [Decimal!]!
      $customers: Boolean!
      $invoices: Boolean!
      $receipts: Boolean!
      $bankTransactions: Boolean!
    ) {
      invoices(first: 5, filter: { totalGross: { in: $amounts } }) @include(if: $invoices) {
        nodes {
          ...FoundInvoice
        }
      }
      creditNotes(first: 5, filter: { totalGross: { in: $amounts } }) @include(if: $invoices) {
        nodes {
          ...FoundCreditNote
        }
      }
      receipts(first: 5, filter: { amountGross: { in: $amounts } }) @include(if: $receipts) {
        nodes {
          ...FoundReceipt
        }
      }
      bankTransactions(first: 5, filter: { amount: { in: $amounts } }) @include(if: $bankTransactions) {
        nodes {
          ...FoundTransaction
        }
      }
    }
  `,
  [FoundInvoice, FoundCreditNote, FoundReceipt, FoundTransaction],
);

/** A search result. */
export interface Result {
  /** The path within the tenant's pages. Paths that begin with /docs/ are outside of them. */
  to: string;
  name: string;
  detail: string;
}

interface ResultGroup {
  label: string;
  results: Result[];
}

const joined = (...parts: (string | null | undefined)[]): string => parts.filter(Boolean).join(' · ');

interface Found<Row> {
  nodes: readonly Row[];
}

/** The rows that were found by amount, then those found by words, each once. */
const merged = <Row extends { id: string }>(
  byAmount: Found<Row> | null | undefined,
  byWords: Found<Row> | null | undefined,
): Row[] => [
  ...new Map([...(byAmount?.nodes ?? []), ...(byWords?.nodes ?? [])].map((row) => [row.id, row] as const)).values(),
];

const buildGroups = (
  data: ResultOf<typeof WordsQuery>,
  amounts: ResultOf<typeof AmountQuery> | undefined,
): ResultGroup[] => [
  {
    label: t('Customers and suppliers'),
    results: (data.customers?.nodes ?? []).map(({ id, companyName, type, city }) => ({
      to: `/customers/${id}`,
      name: companyName,
      detail: joined(label(type), city),
    })),
  },
  {
    label: t('Invoices'),
    results: merged(amounts?.invoices, data.invoices).map(
      ({ id, number, subject, customer, totalGross, currency }) => ({
        to: `/invoices/${id}`,
        name: number ?? t('Draft'),
        detail: joined(customer?.companyName, subject, money(totalGross, currency)),
      }),
    ),
  },
  {
    label: t('Credit notes'),
    results: merged(amounts?.creditNotes, data.creditNotes).map(
      ({ id, number, invoiceNumber, reason, totalGross, currency }) => ({
        to: `/credit-notes/${id}`,
        name: number,
        detail: joined(t('Invoice {number}', { number: invoiceNumber }), reason, money(totalGross, currency)),
      }),
    ),
  },
  {
    label: t('Receipts'),
    results: merged(amounts?.receipts, data.receipts).map((receipt) => ({
      to: `/receipts/${receipt.id}`,
      name: receipt.supplier?.companyName ?? receipt.description ?? t('Receipt'),
      detail: joined(receipt.receiptNumber, money(receipt.amountGross, receipt.currency)),
    })),
  },
  {
    label: t('Projects'),
    results: (data.projects?.nodes ?? []).map(({ id, name, status }) => ({
      to: `/projects/${id}`,
      name,
      detail: label(status),
    })),
  },
  {
    label: t('Bank transactions'),
    results: merged(amounts?.bankTransactions, data.bankTransactions).map((transaction) => ({
      to: `/bank-transactions/${transaction.id}`,
      name: transaction.counterpartyName ?? t('Bank transaction'),
      detail: joined(
        date(transaction.bookingDate),
        money(transaction.amount, transaction.currency),
        transaction.reference,
      ),
    })),
  },
];

const pages: Result[] = [
  ...navigation.flatMap((group) =>
    group.items.map(({ path, label: name }) => ({ to: path, name, detail: group.label })),
  ),
  { to: '/invoices/new', name: t('New invoice'), detail: t('Books') },
  { to: '/bank-transactions/upload', name: t('Upload a bank statement'), detail: t('Books') },
  { to: '/exports?new=LIST', name: t('New export'), detail: t('Reports') },
  { to: '/account', name: t('Account'), detail: t('Your password and sessions') },
  { to: '/docs/quick-start', name: t('Documentation'), detail: t('Guides for developers') },
];

/** Pages whose names contain every typed word; all pages for an empty text. */
function pagesNamed(q: string): Result[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  return pages.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
}

/** Searches everything that the user may read, and the pages. */
export function useSearch(q: string): { groups: ResultGroup[]; fetching: boolean; failed: boolean } {
  const may = useMay();
  const allowed = {
    customers: may?.read('customers') ?? false,
    invoices: may?.read('invoices') ?? false,
    receipts: may?.read('receipts') ?? false,
    bankTransactions: may?.read('bank-transactions') ?? false,
  };
  const [words] = useQuery({
    query: WordsQuery,
    variables: { q, ...allowed, projects: may?.read('projects') ?? false },
    pause: q === '' || !may,
  });
  const amount = toAmount(q)?.replace('-', '');
  const [amounts] = useQuery({
    query: AmountQuery,
    variables: { amounts: amount === undefined ? [] : [amount, `-${amount}`], ...allowed },
    pause: amount === undefined || !may,
  });
  const found = q !== '' && words.data ? buildGroups(words.data, amount === undefined ? undefined : amounts.data) : [];
  return {
    groups: [...found, { label: t('Pages'), results: pagesNamed(q) }].filter(({ results }) => results.length > 0),
    fetching: q !== '' && (words.fetching || amounts.fetching),
    failed: q !== '' && (words.error !== undefined || amounts.error !== undefined),
  };
}
