import type { Prisma, Row, Rows } from '../../prisma/client.ts';
import { Problems } from '../errors/errors.ts';
import { frozenBuyer, frozenSeller } from '../documents/document-source.ts';
import { isStorableLogo } from '../documents/pdf/logo.ts';
import { countryCodes, hasAtMost } from '../graphql/input/validators.ts';
import { findExcess, maxInputDepth } from '../graphql/input/width.ts';
import {
  fits,
  maxDigits,
  invoiceTotals,
  isCurrency,
  lineTotal,
  minorDigits,
  minorUnit,
  sum,
  vatBreakdownByCategory,
  vatIncluded,
  type Decimal,
} from '../money/money.ts';
import { contentTypes } from '../resources/attachment/recognize.ts';
import { filename, maxAttachmentBytes } from '../resources/attachment/rules.ts';
import { parseCreditNoteNumber } from '../resources/credit-note/next-number.ts';
import { readBreakdown, storedBreakdown } from '../resources/credit-note/vat-breakdown.ts';
import { categorized } from '../resources/invoice/line.ts';
import { lineRules, totalRules } from '../resources/invoice/rules.ts';
import { sumLines, toLines } from '../resources/receipt/lines.ts';
import { storedExchangeRules } from '../resources/exchange-rate.ts';
import { parseInvoiceNumber } from '../resources/invoice/next-number.ts';
import { asColumn } from './format.ts';

/** Checks what the fields of a record say of each other, and of its items. */
export function checkRows(rows: Rows, problems: Problems): void {
  for (const invoice of rows.Invoice ?? []) invoiceRules(invoice, rows.InvoiceItem ?? [], problems);
  for (const creditNote of rows.CreditNote ?? []) creditNoteRules(creditNote, rows.CreditNoteItem ?? [], problems);
  for (const receipt of rows.Receipt ?? []) receiptRules(receipt, rows.ReceiptLine ?? [], problems);
  for (const payment of rows.Payment ?? []) paymentRules(payment, problems);
  for (const account of rows.BankAccount ?? []) bankAccountRules(account, problems);
  for (const logo of rows.CompanyLogo ?? []) logoRules(logo, problems);
  for (const parties of rows.InvoiceParties ?? []) partiesRules(parties, problems);
  for (const attachment of rows.Attachment ?? []) attachmentRules(attachment, problems);
}

/** A row's decimals: ours, or Prisma's. */
type Amount = Pick<Decimal, 'toFixed'>;
const equal = (a: Amount, b: Amount): boolean => a.toFixed() === b.toFixed();

/** The totals are those of the lines. A number is of the invoice's year, unless it was given elsewhere. */
function invoiceRules(invoice: Row<'Invoice'>, items: Row<'InvoiceItem'>[], problems: Problems): void {
  const { currency, number, invoiceDate, status, issuedAt, overdueAt, externalId } = invoice;
  const bounds = new Problems();
  for (const [index, item] of items.entries()) lineRules(item, bounds, `input.items.${index}`);
  totalRules(items, currency, bounds);
  for (const [path, ofField] of Object.entries(bounds.byField))
    for (const problem of ofField) problems.add(asColumn(path), ...problem);
  for (const [index, item] of items.entries())
    checkAmount(`items.${index}.line_total_net`, item.lineTotalNet, lineTotal(item, currency), problems);
  const { totalNet, totalVat, totalGross } = invoiceTotals(items, currency);
  storedExchangeRules(invoice, problems);
  checkAmount('total_net', invoice.totalNet, totalNet, problems);
  checkAmount('total_vat', invoice.totalVat, totalVat, problems);
  checkAmount('total_gross', invoice.totalGross, totalGross, problems);
  if (number !== null && externalId === null && parseInvoiceNumber(number)?.year !== invoiceDate.getUTCFullYear())
    problems.add('number', 'invalid_format', 'Must be YYYY-NNNN, with the year of the invoice date.');
  if (status === 'DRAFT') {
    if (!invoice.amountCredited.isZero())
      problems.add('amount_credited', 'wrong_state', 'Of a draft nothing is credited.');
    if (issuedAt) problems.add('issued_at', 'wrong_state', 'A draft is not issued.');
    if (overdueAt) problems.add('overdue_at', 'wrong_state', 'A draft is not overdue.');
    if (!invoice.amountPaid.isZero()) problems.add('amount_paid', 'wrong_state', 'Of a draft nothing is paid.');
    if (!invoice.amountAdjusted.isZero())
      problems.add('amount_adjusted', 'wrong_state', 'Of a draft nothing is settled.');
  }
}

/** The totals are those of the lines and of the VAT breakdown, and each VAT is within a minor unit of that of its net. */
function creditNoteRules(creditNote: Row<'CreditNote'>, items: Row<'CreditNoteItem'>[], problems: Problems): void {
  const { currency, number, creditNoteDate } = creditNote;
  if (!checkCurrency(currency, problems)) return;
  if (parseCreditNoteNumber(number)?.year !== creditNoteDate.getUTCFullYear())
    problems.add('number', 'invalid_format', 'Must be CN-YYYY-NNNN, with the year of the credit note date.');
  const stored = storedBreakdown.safeParse(creditNote.vatBreakdown);
  if (!stored.success) return problems.add('vat_breakdown', 'invalid_format', 'Must be a list of VAT shares.');
  const shares = readBreakdown(stored.data);
  const ofLines = vatBreakdownByCategory(categorized(items), currency);
  const isOfLines =
    shares.length === ofLines.length &&
    ofLines.every(({ vatCategory, vatRate, net, vat }, index) => {
      const share = shares[index];
      const isSame = share?.vatCategory === vatCategory && equal(share.vatRate, vatRate) && equal(share.net, net);
      return isSame && share.vat.minus(vat).abs().lessThanOrEqualTo(minorUnit(currency));
    });
  if (!isOfLines) problems.add('vat_breakdown', 'inconsistent', 'Must be that of the lines.');
  storedExchangeRules(creditNote, problems);
  const totalNet = sum(shares.map(({ net }) => net));
  const totalVat = sum(shares.map(({ vat }) => vat));
  checkAmount('total_net', creditNote.totalNet, totalNet, problems);
  checkAmount('total_vat', creditNote.totalVat, totalVat, problems);
  checkAmount('total_gross', creditNote.totalGross, totalNet.plus(totalVat), problems);
}

/** The amounts are those of the lines. Without lines, they are those of one line with the VAT of its rate. */
function receiptRules(receipt: Row<'Receipt'>, items: Row<'ReceiptLine'>[], problems: Problems): void {
  const { amountGross, vatRate, currency, supplierCountry } = receipt;
  if (supplierCountry !== null) {
    if (receipt.status === 'DRAFT') problems.add('supplier_country', 'wrong_state', 'A draft has none.');
    if (receipt.supplierId === null) problems.add('supplier_country', 'inconsistent', 'Needs a supplier.');
    if (!countryCodes.has(supplierCountry))
      problems.add('supplier_country', 'unknown_value', 'Must be an ISO 3166-1 country code of two capital letters.');
  }
  if (!fits(amountGross))
    problems.add('amount_gross', 'too_many_digits', 'Must not have so many digits.', { max: maxDigits });
  storedExchangeRules(receipt, problems);
  checkDecimals('amount_gross', amountGross, currency, problems);
  checkDecimals('amount_prepaid', receipt.amountPrepaid, currency, problems);
  if (items.length === 0) {
    if (vatRate === null) return problems.add('vat_rate', 'required', 'Required, unless there are several lines.');
    const { vatAmount, amountNet } = vatIncluded(amountGross, vatRate, currency);
    checkAmount('vat_amount', receipt.vatAmount, vatAmount, problems);
    checkAmount('amount_net', receipt.amountNet, amountNet, problems);
    return;
  }
  for (const [index, { amountNet, vatAmount }] of items.entries()) {
    checkDecimals(`lines.${index}.amount_net`, amountNet, currency, problems);
    checkDecimals(`lines.${index}.vat_amount`, vatAmount, currency, problems);
  }
  const sums = sumLines(toLines({ ...receipt, lines: items }));
  checkAmount('amount_gross', amountGross, sums.amountGross, problems);
  checkAmount('vat_amount', receipt.vatAmount, sums.vatAmount, problems);
  checkAmount('amount_net', receipt.amountNet, sums.amountNet, problems);
  if (vatRate === null ? sums.vatRate !== null : !sums.vatRate || !equal(vatRate, sums.vatRate))
    problems.add('vat_rate', 'inconsistent', 'Must be that of the only line, or null.');
}

function paymentRules(payment: Row<'Payment'>, problems: Problems): void {
  const { amount, currency } = payment;
  // The currency of a bank account is as the bank sent it: see the rule that compares it with the transaction's.
  if (payment.bankTransactionId === null) storedExchangeRules(payment, problems);
  if (!checkCurrency(currency, problems)) return;
  if (!fits(amount)) problems.add('amount', 'too_many_digits', 'Must not have so many digits.', { max: maxDigits });
  checkDecimals('amount', amount, currency, problems);
}

/** The rules of bank accounts in statements: an account needn't be an IBAN, nor its currency one that exists. */
function bankAccountRules({ iban, currency }: Row<'BankAccount'>, problems: Problems): void {
  for (const [name, text] of Object.entries({ iban, currency }))
    if (text === '') problems.add(name, 'required', 'Must not be empty.');
    else if (!hasAtMost(255, text))
      problems.add(name, 'too_long', 'Must not be longer than 255 characters.', { max: 255 });
}

/** A stranger made the file: the picture must be as it would be made here. */
function logoRules(logo: Row<'CompanyLogo'>, problems: Problems): void {
  if (!isStorableLogo(logo.bytes))
    problems.add('bytes', 'invalid_format', 'Must be a PNG as documents embed it, with all its lines.');
  logo.isOnDocuments = true; // the parties of issued invoices are read later
}

/**
 * Documents are made from them later. They are only checked, and stay as the file has them: other versions may have had other
 * columns. Without a company profile there is no seller.
 */
function partiesRules({ seller, buyer }: Row<'InvoiceParties'>, problems: Problems): void {
  for (const [name, party] of Object.entries({ seller, buyer }))
    if (findExcess(party) === 'levels')
      problems.add(name, 'nested_too_deeply', `Must not have more than ${maxInputDepth} levels.`);
  const checked = {
    ...(seller !== null && { seller: frozenSeller.safeParse(seller) }),
    buyer: frozenBuyer.safeParse(buyer),
  };
  for (const [name, { error }] of Object.entries(checked))
    for (const { path, message } of error?.issues ?? [])
      problems.add([name, ...path].join('.'), 'invalid_format', message);
}

/** The rules of the database, and those for filenames of clients. The bytes are in the lines that follow. */
function attachmentRules({ filename: name, contentType, length, sha256 }: Row<'Attachment'>, problems: Problems): void {
  for (const { message } of filename.safeParse(name).error?.issues ?? [])
    problems.add('filename', 'invalid_format', message);
  if (!contentTypes.some((type) => type === contentType))
    problems.add('content_type', 'unknown_value', `Must be one of ${contentTypes.join(', ')}.`, {
      values: contentTypes,
    });
  if (length < 1 || length > maxAttachmentBytes)
    problems.add('length', 'out_of_range', `Must be from 1 to ${maxAttachmentBytes}.`, {
      min: 1,
      max: maxAttachmentBytes,
    });
  if (sha256.length !== 32) problems.add('sha256', 'invalid_format', 'Must have 32 bytes.');
}

/** The inputs of other records check their currencies. */
function checkCurrency(currency: string, problems: Problems): boolean {
  if (!isCurrency(currency))
    problems.add('currency', 'unknown_value', 'Must be an ISO 4217 currency code of three capital letters.');
  return isCurrency(currency);
}

function checkAmount(path: string, stated: Amount, computed: Amount, problems: Problems): void {
  if (!equal(stated, computed))
    problems.add(path, 'inconsistent', `Is ${stated.toFixed()}, but must be ${computed.toFixed()}.`);
}

function checkDecimals(path: string, amount: Decimal | Prisma.Decimal, currency: string, problems: Problems): void {
  const digits = minorDigits(currency);
  if (amount.decimalPlaces() > digits)
    problems.add(path, 'too_many_decimals', `Must not have more than ${digits} decimals in this currency.`, {
      max: digits,
    });
}
