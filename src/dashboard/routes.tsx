import { modals } from '@mantine/modals';
import { Suspense, useEffect, type ComponentType, type ReactNode } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import {
  ArrowDownTrayIcon,
  ArrowUpTrayIcon,
  BanknotesIcon,
  BeakerIcon,
  BoltIcon,
  BriefcaseIcon,
  BuildingLibraryIcon,
  BuildingOfficeIcon,
  CalculatorIcon,
  ChartBarIcon,
  ClockIcon,
  DocumentTextIcon,
  GlobeEuropeAfricaIcon,
  HomeIcon,
  IdentificationIcon,
  KeyIcon,
  LinkIcon,
  LockClosedIcon,
  PaperAirplaneIcon,
  QueueListIcon,
  ReceiptPercentIcon,
  ReceiptRefundIcon,
  ScaleIcon,
  ShieldCheckIcon,
  UsersIcon,
  WalletIcon,
} from '@heroicons/react/24/outline';
import { ErrorBoundary } from './errors/error-boundary.tsx';
import { NotFound } from './layout/not-found.tsx';
import { PageSkeleton } from './layout/page.tsx';
import { lazyPage } from './navigation/lazy-page.ts';
import { t } from './i18n/t.ts';

type Icon = ComponentType<{ width?: number; 'aria-hidden'?: boolean }>;

interface Destination {
  path: string;
  label: string;
  icon: Icon;
  /** The key after G that opens it. */
  shortcut?: string;
}

/** The entries of the navigation, by group. */
export const navigation: { label: string; items: Destination[] }[] = [
  {
    label: t('Books'),
    items: [
      { path: '/', label: t('Overview'), icon: HomeIcon, shortcut: 'o' },
      { path: '/invoices', label: t('Invoices'), icon: DocumentTextIcon, shortcut: 'i' },
      { path: '/credit-notes', label: t('Credit notes'), icon: ReceiptRefundIcon, shortcut: 'n' },
      { path: '/customers', label: t('Customers'), icon: BuildingOfficeIcon, shortcut: 'c' },
      { path: '/receipts', label: t('Receipts'), icon: ReceiptPercentIcon, shortcut: 'r' },
      { path: '/projects', label: t('Projects'), icon: BriefcaseIcon, shortcut: 'p' },
      { path: '/time-entries', label: t('Time entries'), icon: ClockIcon, shortcut: 't' },
    ],
  },
  {
    label: t('Money'),
    items: [
      { path: '/bank-transactions', label: t('Bank transactions'), icon: BuildingLibraryIcon, shortcut: 'b' },
      { path: '/bank-accounts', label: t('Bank accounts'), icon: WalletIcon },
      { path: '/payments', label: t('Payments'), icon: BanknotesIcon, shortcut: 'm' },
    ],
  },
  {
    label: t('Reports'),
    items: [
      { path: '/reports/open-items', label: t('Open items'), icon: ScaleIcon, shortcut: 'd' },
      { path: '/reports/profit-and-loss', label: t('Profit and loss'), icon: ChartBarIcon },
      { path: '/reports/vat', label: t('VAT'), icon: CalculatorIcon },
      { path: '/reports/ec-sales', label: t('EC sales'), icon: GlobeEuropeAfricaIcon },
      { path: '/exports', label: t('Exports'), icon: ArrowUpTrayIcon, shortcut: 'e' },
    ],
  },
  {
    label: t('Developers'),
    items: [
      { path: '/settings/api-tokens', label: t('API tokens'), icon: KeyIcon },
      { path: '/settings/webhooks', label: t('Webhooks'), icon: BoltIcon },
      { path: '/deliveries', label: t('Deliveries'), icon: PaperAirplaneIcon },
      { path: '/bulk-operations', label: t('Bulk operations'), icon: QueueListIcon },
      { path: '/settings/test-tenants', label: t('Test tenants'), icon: BeakerIcon },
    ],
  },
  {
    label: t('Settings'),
    items: [
      { path: '/settings/company', label: t('Company'), icon: IdentificationIcon, shortcut: 's' },
      { path: '/settings/period-locks', label: t('Period locks'), icon: LockClosedIcon },
      { path: '/settings/members', label: t('Members'), icon: UsersIcon },
      { path: '/audit-log', label: t('Audit log'), icon: ShieldCheckIcon },
      { path: '/anchors', label: t('Anchors'), icon: LinkIcon },
      { path: '/import', label: t('Import'), icon: ArrowDownTrayIcon },
    ],
  },
];

/** Pages that need no session. */
export const publicRoutes: { path: string; Page: ComponentType }[] = [
  { path: '/sign-in', Page: lazyPage(() => import('./pages/sign-in.tsx')) },
  { path: '/invitation/:token', Page: lazyPage(() => import('./pages/invitation.tsx')) },
];

/** Pages for signed-in users, below the tenant's URL. The code of each is loaded when it is first opened. */
const pages: { path: string; Page: ComponentType }[] = [
  { path: '/', Page: lazyPage(() => import('./pages/overview/overview.tsx')) },
  { path: '/invoiced', Page: lazyPage(() => import('./pages/overview/invoiced-month.tsx')) },
  { path: '/invoices', Page: lazyPage(() => import('./pages/invoices/invoices.tsx')) },
  { path: '/invoices/new', Page: lazyPage(() => import('./pages/invoices/editor/new-invoice.tsx')) },
  { path: '/invoices/:id', Page: lazyPage(() => import('./pages/invoices/invoice.tsx')) },
  { path: '/invoices/:id/edit', Page: lazyPage(() => import('./pages/invoices/editor/edit-invoice.tsx')) },
  { path: '/invoices/:id/credit-note', Page: lazyPage(() => import('./pages/credit-notes/new-credit-note.tsx')) },
  { path: '/credit-notes', Page: lazyPage(() => import('./pages/credit-notes/credit-notes.tsx')) },
  { path: '/credit-notes/:id', Page: lazyPage(() => import('./pages/credit-notes/credit-note.tsx')) },
  { path: '/customers', Page: lazyPage(() => import('./pages/customers/customers.tsx')) },
  { path: '/customers/:id', Page: lazyPage(() => import('./pages/customers/customer.tsx')) },
  { path: '/receipts', Page: lazyPage(() => import('./pages/receipts/receipts.tsx')) },
  { path: '/receipts/:id', Page: lazyPage(() => import('./pages/receipts/receipt.tsx')) },
  { path: '/bank-accounts', Page: lazyPage(() => import('./pages/bank-accounts/bank-accounts.tsx')) },
  { path: '/bank-accounts/:id', Page: lazyPage(() => import('./pages/bank-accounts/bank-account.tsx')) },
  { path: '/bank-transactions', Page: lazyPage(() => import('./pages/bank-transactions/bank-transactions.tsx')) },
  {
    path: '/bank-transactions/upload',
    Page: lazyPage(() => import('./pages/bank-transactions/upload/upload-statement.tsx')),
  },
  { path: '/bank-transactions/:id', Page: lazyPage(() => import('./pages/bank-transactions/bank-transaction.tsx')) },
  { path: '/payments', Page: lazyPage(() => import('./pages/payments/invoice-payments.tsx')) },
  { path: '/projects', Page: lazyPage(() => import('./pages/projects/projects.tsx')) },
  { path: '/projects/:id', Page: lazyPage(() => import('./pages/projects/project.tsx')) },
  { path: '/time-entries', Page: lazyPage(() => import('./pages/time-entries/time-entries.tsx')) },
  { path: '/reports/open-items', Page: lazyPage(() => import('./pages/reports/open-items.tsx')) },
  { path: '/reports/profit-and-loss', Page: lazyPage(() => import('./pages/reports/profit-and-loss.tsx')) },
  {
    path: '/reports/profit-and-loss/documents',
    Page: lazyPage(() => import('./pages/reports/profit-and-loss-documents.tsx')),
  },
  { path: '/reports/ec-sales', Page: lazyPage(() => import('./pages/reports/ec-sales.tsx')) },
  { path: '/reports/ec-sales/documents', Page: lazyPage(() => import('./pages/reports/ec-sales-documents.tsx')) },
  { path: '/reports/vat', Page: lazyPage(() => import('./pages/reports/vat.tsx')) },
  { path: '/reports/vat/documents', Page: lazyPage(() => import('./pages/reports/vat-documents.tsx')) },
  { path: '/exports', Page: lazyPage(() => import('./pages/exports/exports.tsx')) },
  { path: '/audit-log', Page: lazyPage(() => import('./pages/audit-log/audit-log.tsx')) },
  { path: '/anchors', Page: lazyPage(() => import('./pages/anchors/anchors.tsx')) },
  { path: '/import', Page: lazyPage(() => import('./pages/import/import.tsx')) },
  { path: '/bulk-operations', Page: lazyPage(() => import('./pages/bulk-operations/bulk-operations.tsx')) },
  { path: '/bulk-operations/:id', Page: lazyPage(() => import('./pages/bulk-operations/bulk-operation.tsx')) },
  { path: '/deliveries', Page: lazyPage(() => import('./pages/deliveries/deliveries.tsx')) },
  { path: '/deliveries/:id', Page: lazyPage(() => import('./pages/deliveries/delivery.tsx')) },
  { path: '/account', Page: lazyPage(() => import('./pages/account/account.tsx')) },
  { path: '/settings/api-tokens', Page: lazyPage(() => import('./pages/settings/api-tokens.tsx')) },
  { path: '/settings/company', Page: lazyPage(() => import('./pages/settings/company.tsx')) },
  { path: '/settings/members', Page: lazyPage(() => import('./pages/settings/members.tsx')) },
  { path: '/settings/period-locks', Page: lazyPage(() => import('./pages/settings/period-locks.tsx')) },
  { path: '/settings/test-tenants', Page: lazyPage(() => import('./pages/settings/test-tenants.tsx')) },
  { path: '/settings/webhooks', Page: lazyPage(() => import('./pages/settings/webhooks/webhooks.tsx')) },
  { path: '/settings/webhooks/:id', Page: lazyPage(() => import('./pages/settings/webhooks/webhook.tsx')) },
];

export function PageRoutes(): ReactNode {
  const [path] = useLocation();
  return (
    <ErrorBoundary key={path}>
      <CloseConfirmations />
      <Suspense fallback={<PageSkeleton />}>
        <Switch>
          {pages.map(({ path: pattern, Page }) => (
            <Route key={pattern} path={pattern} component={Page} />
          ))}
          <Route>
            <NotFound />
          </Route>
        </Switch>
      </Suspense>
    </ErrorBoundary>
  );
}

/** Closes the dialogs that ask for a confirmation when their page is left, also by Back. */
function CloseConfirmations(): ReactNode {
  useEffect(() => () => modals.closeAll(), []);
  return null;
}
