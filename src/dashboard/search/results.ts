import { useQuery } from 'urql';
import { date, label, money } from '../format/format.ts';
import { graphql, type ResultOf } from '../graphql.ts';
import { navigation } from '../routes.tsx';

// A session may read everything. A token, which developers may use here, reads only what its abilities allow.
const AbilitiesQuery = graphql(`
  query SearchAbilities {
    me {
      token {
        abilities
      }
    }
  }
`);

const SearchQuery = graphql(`
  query Search(
    $q: String!
    $customers: Boolean!
    $invoices: Boolean!
    $receipts: Boolean!
    $projects: Boolean!
    $bankTransactions: Boolean!
  ) {
    customers(first: 5, q: $q) @include(if: $customers) {
      nodes {
        id
        companyName
        type
        city
      }
    }
    invoices(first: 5, q: $q) @include(if: $invoices) {
      nodes {
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
    }
    creditNotes(first: 5, q: $q) @include(if: $invoices) {
      nodes {
        id
        number
        invoiceNumber
        reason
        totalGross
        currency
      }
    }
    receipts(first: 5, q: $q) @include(if: $receipts) {
      nodes {
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
    }
    projects(first: 5, q: $q) @include(if: $projects) {
      nodes {
        id
        name
        status
      }
    }
    bankTransactions(first: 5, q: $q) @include(if: $bankTransactions) {
      nodes {
        id
        counterpartyName
        reference
        amount
        currency
        bookingDate
      }
    }
  }
`);

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

const groupsOf = (data: ResultOf<typeof SearchQuery>): ResultGroup[] => [
  {
    label: 'Customers and suppliers',
    results: (data.customers?.nodes ?? []).map(({ id, companyName, type, city }) => ({
      to: `/customers/${id}`,
      name: companyName,
      detail: joined(label(type), city),
    })),
  },
  {
    label: 'Invoices',
    results: (data.invoices?.nodes ?? []).map(({ id, number, subject, customer, totalGross, currency }) => ({
      to: `/invoices/${id}`,
      name: number ?? 'Draft',
      detail: joined(customer?.companyName, subject, money(totalGross, currency)),
    })),
  },
  {
    label: 'Credit notes',
    results: (data.creditNotes?.nodes ?? []).map(({ id, number, invoiceNumber, reason, totalGross, currency }) => ({
      to: `/credit-notes/${id}`,
      name: number,
      detail: joined(`Invoice ${invoiceNumber}`, reason, money(totalGross, currency)),
    })),
  },
  {
    label: 'Receipts',
    results: (data.receipts?.nodes ?? []).map((receipt) => ({
      to: `/receipts/${receipt.id}`,
      name: receipt.supplier?.companyName ?? receipt.description ?? 'Receipt',
      detail: joined(receipt.receiptNumber, money(receipt.amountGross, receipt.currency)),
    })),
  },
  {
    label: 'Projects',
    results: (data.projects?.nodes ?? []).map(({ id, name, status }) => ({
      to: `/projects/${id}`,
      name,
      detail: label(status),
    })),
  },
  {
    label: 'Bank transactions',
    results: (data.bankTransactions?.nodes ?? []).map((transaction) => ({
      to: `/bank-transactions/${transaction.id}`,
      name: transaction.counterpartyName ?? 'Bank transaction',
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
  { to: '/invoices/new', name: 'New invoice', detail: 'Books' },
  { to: '/bank-transactions/upload', name: 'Upload a bank statement', detail: 'Books' },
  { to: '/account', name: 'Account', detail: 'Your password and sessions' },
  { to: '/docs/quick-start', name: 'Documentation', detail: 'Guides for developers' },
];

/** Pages whose names contain every typed word; all pages for an empty text. */
function pagesNamed(q: string): Result[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  return pages.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
}

/** Searches everything that the user may read, and the pages. */
export function useSearch(q: string): { groups: ResultGroup[]; fetching: boolean; failed: boolean } {
  const [abilities] = useQuery({ query: AbilitiesQuery, requestPolicy: 'cache-first' });
  const granted = abilities.data && (abilities.data.me.token?.abilities ?? ['*']);
  const may = (resource: string): boolean =>
    ['*', 'read', 'write', `${resource}:read`, `${resource}:write`].some((ability) => granted?.includes(ability));
  const [{ data, fetching, error }] = useQuery({
    query: SearchQuery,
    variables: {
      q,
      customers: may('customers'),
      invoices: may('invoices'),
      receipts: may('receipts'),
      projects: may('projects'),
      bankTransactions: may('bank-transactions'),
    },
    pause: q === '' || !granted,
  });
  const found = q !== '' && data ? groupsOf(data) : [];
  return {
    groups: [...found, { label: 'Pages', results: pagesNamed(q) }].filter(({ results }) => results.length > 0),
    fetching: q !== '' && fetching,
    failed: q !== '' && error !== undefined,
  };
}
