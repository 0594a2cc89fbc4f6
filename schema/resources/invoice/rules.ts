import type { CreateInvoiceInput, InvoiceUpdate } from './mutations.ts';
import { usualVatCategory, type Details } from './line.ts';
import type { Readable } from '../../graphql/plugins/authorization-and-validation.ts';
import type { WholeInvoice } from './transitions.ts';
import { type Line, fits, invoiceTotals } from '../../money/money.ts';
import type { Context } from '../../graphql/context.ts';
import { type Problems, refuse, ValidationError } from '../../errors/errors.ts';
import { requireExisting } from '../../graphql/input/references.ts';
import { exemptCategories, vatCategoriesByCode } from '../../money/vat-categories.ts';
import type { EInvoiceFormat } from '../../documents/e-invoice/formats.ts';
import type { Row } from '../../../prisma/client.ts';
import { exchangeRules, type Exchange } from '../exchange-rate.ts';
import { findCompany } from '../company/queries.ts';
import { buildSource } from '../document/read-source.ts';
import { issueDateRules } from '../document/issue-date.ts';
import { findPartiesOfDraft } from './parties.ts';
import { wasPaidWhenIssued } from './balance.ts';
import { findBreaches, toProblems, type Breach } from '../../documents/e-invoice/breaches.ts';
import { toEInvoice } from '../../documents/to-e-invoice.ts';
import type { DocumentSource } from '../../documents/document-source.ts';
import { getVatCountry, memberStates } from '../../codes/vat-territory.ts';

type InvoiceInput = Readable<typeof CreateInvoiceInput.$inferInput | InvoiceUpdate>;

/** The invoice that an input changes; nothing for a new one. */
type Current =
  | (Pick<WholeInvoice, 'invoiceDate' | 'dueDate' | 'currency' | 'totalGross'> & Exchange & { items: Line[] })
  | undefined;

/** Checks the rules between an invoice's fields, on the fields that are valid by themselves. */
export function invoiceRules(input: InvoiceInput, context: Context, problems: Problems, current?: Current): void {
  problems.defer(() => requireExisting(context, problems, 'customer', input.customerId));
  const invoiceDate = input.invoiceDate ?? current?.invoiceDate;
  const dueDate = input.dueDate ?? current?.dueDate;
  if ('status' in input && input.status && input.status !== 'DRAFT')
    issueDateRules(invoiceDate, context, problems, 'input.invoiceDate');
  if (invoiceDate && dueDate && dueDate < invoiceDate) {
    problems.add('input.dueDate', 'wrong_order', 'Must not be before the invoice date.');
  }
  for (const [index, item] of (input.items ?? []).entries()) lineRules(item, problems, `input.items.${index}`);
  const lines = input.items ?? current?.items;
  const currency = input.currency ?? current?.currency ?? context.tenant.defaultCurrency;
  const areWhole = lines?.every(isWhole) === true;
  if (areWhole) totalRules(lines, currency, problems);
  if (!current && !input.exchangeRate && !input.exchangeRateDate && !input.exchangeRateSource) return;
  const gross = areWhole && lines.length > 0 ? invoiceTotals(lines, currency).totalGross : current?.totalGross;
  exchangeRules(input, context, problems, gross, current);
}

/** Checks the bounds of an invoice's totals. */
export function totalRules(lines: Line[], inCurrency: string, problems: Problems): void {
  const { lines: totals, vatBreakdown, totalNet, totalVat, totalGross } = invoiceTotals(lines, inCurrency);
  for (const [index, { lineTotalNet }] of totals.entries()) {
    if (!fits(lineTotalNet))
      problems.add(`input.items.${index}`, 'total_out_of_range', "The line's total is too large.");
  }
  const amounts = [totalNet, totalVat, totalGross];
  for (const { net, vat } of vatBreakdown) amounts.push(net, vat);
  if (!amounts.every(fits)) problems.add('input.items', 'total_out_of_range', "The invoice's total is too large.");
  if (totalGross.lessThan(0))
    problems.add('input.items', 'total_out_of_range', "The invoice's total must not be negative.");
}

export function refuseUnlessDraft({ status }: Pick<WholeInvoice, 'status'>): void {
  if (status !== 'DRAFT') refuse('status', 'not_a_draft', 'Only a draft can be changed or deleted.');
}

export const isWhole = (line: Readable<Line> | undefined): line is Line =>
  line?.quantity !== undefined && line.unitPriceNet !== undefined && line.vatRate !== undefined;

type RuledLine = Readable<Details> & { vatRate?: Parameters<typeof usualVatCategory>[0] };

/** Checks the rules between a line's fields, on those that are valid by themselves. @param at its path, '' for none */
export function lineRules(line: RuledLine | undefined, problems: Problems, at: string): void {
  if (!line) return;
  const { vatRate: rate, exemptionReason, servicePeriodStart: start, servicePeriodEnd: end } = line;
  const path = at === '' ? '' : `${at}.`;
  const category = vatCategoriesByCode.get(line.vatCategory ?? (rate ? usualVatCategory(rate) : ''));
  const isZero = rate?.toFixed() === '0';
  if (rate && category && isZero === (category === 'S')) {
    const message = isZero ? 'S needs a VAT rate above 0.' : 'Must be S, as the VAT rate is above 0.';
    problems.add(`${path}vatCategory`, 'inconsistent', message);
  }
  const isKnown = !problems.has(`${path}vatCategory`); // an invalid one isn't in the line
  if (isKnown && exemptionReason && category && !exemptCategories.has(category))
    problems.add(`${path}exemptionReason`, 'inconsistent', 'Only with a VAT category of E, AE, K, G, or O.');
  if (start && end && end < start)
    problems.add(`${path}servicePeriodEnd`, 'wrong_order', 'Must not be before the first day.');
}

/** An invoice that is being issued, as its documents will say it. */
async function readAsIssued(
  context: Context,
  invoice: Row<'Invoice'>,
  items: Row<'InvoiceItem'>[],
): Promise<DocumentSource> {
  const parties = await findPartiesOfDraft(context, invoice.customerId);
  return buildSource(invoice, items, parties, { test: context.tenant.test, isPaid: wasPaidWhenIssued(invoice) });
}

/**
 * Refuses an invoice that breaks rules of a format. Called in the transaction that issues it: until its end, seller and buyer
 * stay as they were checked.
 * @throws ValidationError with all these rules
 */
export async function enforceFormat(
  context: Context,
  invoice: Row<'Invoice'>,
  items: Row<'InvoiceItem'>[],
  format: EInvoiceFormat,
): Promise<void> {
  await context.db.lock('Customer', invoice.customerId, 'no key update');
  const company = await findCompany(context);
  if (company) await context.db.lock('Company', company.id, 'no key update');
  const breaches = findBreaches(toEInvoice(await readAsIssued(context, invoice, items)), format);
  if (breaches.length > 0) throw new ValidationError(toProblems(breaches));
}

// An invoice without VAT to a business in another member state must have the buyer's VAT number: Directive 2006/112/EC,
// Art. 226 (4); § 14a (1), (3) UStG; § 11 (1a) UStG 1994. See DECISIONS.md#d124-vat-of-an-invoice.

/** The rules of EN 16931 that demand it. */
const rules: ReadonlySet<string> = new Set(['BR-AE-02', 'BR-IC-02']);

/** Whether the buyer owes the VAT in another country than the seller's, as far as the addresses say. */
function isAcrossBorder({ seller, buyer }: DocumentSource): boolean {
  const [from, to] = [getVatCountry(seller), getVatCountry(buyer)];
  return from !== undefined && memberStates.has(from) && (to === undefined || (to !== from && memberStates.has(to)));
}

function findMissing(source: DocumentSource): Breach[] {
  const breaches = findBreaches(toEInvoice(source), 'factur-x');
  const missing = breaches.filter(({ id, field }) => rules.has(id) && field === 'customer.vat_id');
  return missing.filter(({ id }) => id === 'BR-IC-02' || isAcrossBorder(source));
}

/**
 * Refuses an invoice of the categories AE or K whose buyer has no VAT number. Called in the transaction that issues it.
 * @throws ValidationError
 */
export async function requireBuyerVatNumber(
  context: Context,
  invoice: Row<'Invoice'>,
  items: Row<'InvoiceItem'>[],
): Promise<void> {
  if (!items.some(({ vatCategory }) => vatCategory === 'AE' || vatCategory === 'K')) return;
  await context.db.lock('Customer', invoice.customerId, 'no key update');
  const missing = findMissing(await readAsIssued(context, invoice, items));
  if (missing.length > 0) throw new ValidationError(toProblems(missing));
}
