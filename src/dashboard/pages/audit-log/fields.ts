import { isDateField } from '../../format/day-and-time.ts';
import { date, dateTime, decimal } from '../../format/format.ts';
import { graphql, type FragmentOf, type ResultOf } from '../../graphql.ts';
import { t, translate } from '../../i18n/t.ts';

export const AuditEntryFields = graphql(`
  fragment AuditEntryFields on AuditEntry @_unmask {
    id
    at
    actor {
      kind
      userName
      tokenName
      job
    }
    resource
    resourceId
    action
    before
    after
  }
`);

export type AuditEntry = FragmentOf<typeof AuditEntryFields> & ResultOf<typeof AuditEntryFields>;

export const capitalize = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** `invoice_lines` → `Invoice lines`. */
export const inWords = (name: string): string => translate(toWords(name));

const toWords = (name: string): string => capitalize(name).replaceAll('_', ' ');

type Actions = Record<AuditEntry['action'], string>;

export const actions: Actions = { CREATED: t('Created'), UPDATED: t('Changed'), DELETED: t('Deleted') };

export const actionsOfLines: Actions = {
  CREATED: t('Created lines'),
  UPDATED: t('Changed lines'),
  DELETED: t('Deleted lines'),
};

/** Who made a change, in words. */
export function describeActor({ actor }: Pick<AuditEntry, 'actor'>): string {
  if (!actor) return t('somebody in the database');
  const user = actor.userName ?? t('a user without an account');
  switch (actor.kind) {
    case 'TOKEN':
      return actor.tokenName === null
        ? t('{user}, by the token that is gone', { user })
        : t('{user}, by the token {token}', { user, token: actor.tokenName });
    case 'IMPORT':
      return t('an import by {user}', { user });
    case 'JOB':
      return t('the service ({job})', { job: actor.job === null ? t('a job') : translate(actor.job) });
    case 'COMMAND_LINE':
      return t('the operator');
    default:
      return user;
  }
}

/** The pages of what has one, by the resource of an entry. */
const pages: Readonly<Record<string, string>> = {
  customer: '/customers',
  invoice: '/invoices',
  invoice_lines: '/invoices',
  credit_note: '/credit-notes',
  credit_note_lines: '/credit-notes',
  receipt: '/receipts',
  receipt_lines: '/receipts',
  project: '/projects',
  bank_account: '/bank-accounts',
  bank_transaction: '/bank-transactions',
  webhook: '/settings/webhooks',
};

export function getPage({ resource, resourceId }: Pick<AuditEntry, 'resource' | 'resourceId'>): string | undefined {
  const page = pages[resource];
  return page !== undefined && resourceId !== null ? `${page}/${resourceId}` : undefined;
}

/** The resources that have entries, for a filter. */
export const resourceNames: readonly string[] = [
  ...Object.keys(pages),
  'attachment',
  'bank_statement',
  'time_entry',
  'payment',
  'company',
  'period_lock',
  'company_logo',
  'invoice_sequence',
  'credit_note_sequence',
  'member',
  'invitation',
  'token',
  'trusted_document',
  'tenant',
];

export interface ChangedField {
  name: string;
  before: string | undefined;
  after: string | undefined;
}

/** The fields that a change has set, as texts. When a row was made, its entry says. */
export function listFields({ before, after }: Pick<AuditEntry, 'before' | 'after'>): ChangedField[] {
  const [former, latter] = [toObject(before), toObject(after)];
  const names = new Set([...Object.keys(former), ...Object.keys(latter)]);
  return [...names.difference(new Set(['created_at']))].map((name) => ({
    name,
    before: toText(name, former[name]),
    after: toText(name, latter[name]),
  }));
}

const toObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** Fields whose values are names of ours. Others may have the same word as a text of somebody. */
const named: ReadonlySet<string> = new Set(['status', 'match_status', 'kind', 'type', 'series']);

/** In the reader's locale and language. */
function toText(name: string, value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'number') return name === 'year' ? String(value) : decimal(String(value));
  if (typeof value === 'boolean') return translate(String(value));
  if (Array.isArray(value)) return value.map((part) => toText(name, part)).join('; ');
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([key, part]) =>
        // The keys of metadata are somebody's own, and say nothing about their values.
        name === 'metadata'
          ? `${toWords(key)} ${toText(name, part) ?? t('none')}`
          : `${inWords(key)} ${toText(key, part) ?? t('none')}`,
      )
      .join(', ');
  const text = String(value);
  if (isDateField(name)) return text.includes('T') ? dateTime(text) : date(text);
  return named.has(name) ? translate(text) : text;
}
