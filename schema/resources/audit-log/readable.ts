import type { Ability } from '../../graphql/ability.ts';
import type { Context } from '../../graphql/context.ts';
import { requireAbilities } from '../../errors/errors.ts';
import { resources } from '../../resource-list.ts';

// An entry shows a resource: reading it needs the ability to read that resource, too (DECISIONS.md#d135-audit-log).

/** The resources of audit log entries, as audit() in the migrations names them, and the abilities that show them. */
const abilitiesToRead = new Map<string, Ability[]>([
  ...resources.map(({ name, scope }): [string, Ability[]] => [name, [`${scope}:read`]]),
  ['attachment', ['receipts:read']],
  ['invoice_lines', ['invoices:read']],
  ['credit_note_lines', ['invoices:read']],
  ['receipt_lines', ['receipts:read']],
  ['invoice_sequence', ['invoices:read']],
  ['credit_note_sequence', ['invoices:read']],
  ['payment', ['invoices:read', 'receipts:read']],
  ['bank_statement', ['bank-transactions:read']],
  ['company', ['company:read']],
  ['company_logo', ['company:read']],
  ['period_lock', ['company:read']],
  ['webhook', ['webhooks:read']],
  ['trusted_document', ['documents:read']],
  ['member', []],
  ['invitation', []],
  ['token', []],
  ['tenant', []],
]);

export const auditedResources: readonly string[] = [...abilitiesToRead.keys()];

/** @throws ForbiddenError naming every ability that is missing to read entries of a resource */
export const mustReadEntriesOf = (context: Context, resource: string): void =>
  requireAbilities(context, abilitiesToRead.get(resource) ?? []);

/** @throws ForbiddenError naming every ability that is missing to read all entries */
export const mustReadAllEntries = (context: Pick<Context, 'may'>): void =>
  requireAbilities(context, [...new Set([...abilitiesToRead.values()].flat())]);

/** The condition that excludes entries that the caller may not read. */
export function readableEntries({ may }: Pick<Context, 'may'>): { resource?: { notIn: string[] } } {
  const hidden = [...abilitiesToRead].filter(([, abilities]) => !abilities.every((ability) => may(ability)));
  return hidden.length > 0 ? { resource: { notIn: hidden.map(([name]) => name) } } : {};
}
