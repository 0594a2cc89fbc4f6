import { isInputObjectType, type GraphQLSchema } from 'graphql';
import type { Column, NewRow, Prisma, Row, Rows } from '../../prisma/client.ts';
import type { Context } from '../graphql/context.ts';
import { Problems, type FieldErrors } from '../errors/errors.ts';
import { frozenBuyer, frozenSeller } from '../documents/document-source.ts';
import { isStorableLogo } from '../documents/pdf/logo.ts';
import { countryCodes, getBounds, hasAtMost } from '../graphql/input/validators.ts';
import { validateArguments, type Input } from '../graphql/input/validate-arguments.ts';
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
import { lineRules } from '../resources/invoice/rules.ts';
import { totalRules } from '../resources/invoice/rules.ts';
import { sumLines, toLines } from '../resources/receipt/lines.ts';
import { storedExchangeRules } from '../resources/exchange-rate.ts';
import { parseInvoiceNumber } from '../resources/invoice/next-number.ts';
import { createAuditReader } from './audit-entries.ts';
import {
  asColumn,
  isObject,
  itemModels,
  readValue,
  recordColumns,
  recordTypes,
  ValueError,
  type ItemModel,
  type RecordType,
} from './format.ts';

/** Replaces the id of a user who isn't a member here. */
export type UserIds = ReadonlyMap<string, string>;

/** Reads a record's fields as the rows to write; says what is wrong with them. */
export type RecordReader = (type: RecordType, fields: Record<string, unknown>) => Rows | FieldErrors;

export const isRefused = (read: Rows | FieldErrors): read is FieldErrors => Object.values(read).some(isMessages);

const isMessages = (value: unknown): boolean => Array.isArray(value) && typeof value[0] === 'string';

type Model = RecordType['model'] | ItemModel;

/** @param schema whose inputs have the bounds of the fields */
export function createRecordReader(context: Context, schema: GraphQLSchema, userIds: UserIds): RecordReader {
  const { db } = context;
  const readAuditEntry = createAuditReader(context);
  const inputs = new Map<Model, ReturnType<typeof getInputFields>>();
  for (const { model, input } of recordTypes) inputs.set(model, getInputFields(schema, input));
  for (const { model, input } of Object.values(itemModels)) inputs.set(model, getInputFields(schema, input));

  /** @returns undefined where the fields make no row */
  function readRow<Of extends Model>(
    model: Of,
    fields: Record<string, unknown>,
    problems: Problems,
    path = '',
  ): Row<Of> | undefined {
    const own = new Problems();
    const columns = recordColumns(model);
    const values = readColumns(columns, fields, own);
    // A receipt that reverses another has the opposite of what was prepaid.
    const isFree = (name: string): boolean => name === 'amountPrepaid' && values['reversalOfId'] != null;
    const named = (inputs.get(model) ?? []).filter(({ name }) => values[name] != null && !isFree(name));
    const checked = validateArguments(named, pick(values, named), own);
    const texts = ownTexts(named, values, checked, own);
    for (const [at, ofField] of Object.entries(own.byField)) {
      const name = columns.find((column) => column.name === at)?.column ?? at;
      for (const problem of ofField) problems.add(path + name, ...problem);
    }
    // Each value is of its column's type.
    return own.any ? undefined : db.row(model, { ...values, ...checked, ...texts } as NewRow<Of>);
  }

  /** The rows of a record with items. */
  function withItems<Of extends keyof typeof itemModels>(
    model: Of,
    fields: Record<string, unknown>,
    problems: Problems,
  ): { row: Row<Of>; items: Row<(typeof itemModels)[Of]['model']>[] } | undefined {
    const of: (typeof itemModels)[keyof typeof itemModels] = itemModels[model];
    const itemModel: (typeof itemModels)[Of]['model'] = itemModels[model].model;
    const { field, refersBy, min, max } = of;
    const { [field]: items = min === 0 ? [] : undefined, ...own } = fields;
    const row = readRow(model, own, problems);
    if (!Array.isArray(items) || items.length < min || items.length > max) {
      problems.add(field, 'wrong_count', `Must have ${min} to ${max} ${field}.`, { min, max });
      return undefined;
    }
    const id = (row as { id: string } | undefined)?.id ?? noId;
    const rows = items.map((item, index) => {
      const at = `${field}.${index}`;
      if (!isObject(item)) return void problems.add(at, 'wrong_type', 'Must be an object.', { expected: 'object' });
      for (const name of [refersBy, 'position'])
        if (name in item) problems.add(`${at}.${name}`, 'unknown_field', unknownField);
      const place = { [refersBy]: id, position: index + 1 };
      return readRow(itemModel, { ...item, ...place }, problems, `${at}.`);
    });
    const lines = rows.filter((each) => each !== undefined);
    return row && lines.length === rows.length ? { row, items: lines } : undefined;
  }

  function readInvoice(fields: Record<string, unknown>, problems: Problems): Rows | undefined {
    const read = withItems('Invoice', fields, problems);
    if (!read) return undefined;
    invoiceRules(read.row, read.items, problems);
    return { Invoice: [read.row], InvoiceItem: read.items };
  }

  function readReceipt(fields: Record<string, unknown>, problems: Problems): Rows | undefined {
    const read = withItems('Receipt', fields, problems);
    if (!read) return undefined;
    receiptRules(read.row, read.items, problems);
    return { Receipt: [read.row], ReceiptLine: read.items };
  }

  function readCreditNote(fields: Record<string, unknown>, problems: Problems): Rows | undefined {
    const read = withItems('CreditNote', fields, problems);
    if (!read) return undefined;
    creditNoteRules(read.row, read.items, problems);
    return { CreditNote: [read.row], CreditNoteItem: read.items };
  }

  return ({ model }, fields) => {
    const problems = new Problems();
    let rows: Rows | undefined;
    if (model === 'Invoice') {
      rows = readInvoice(fields, problems);
    } else if (model === 'CreditNote') {
      rows = readCreditNote(fields, problems);
    } else if (model === 'Receipt') {
      rows = readReceipt(fields, problems);
    } else if (model === 'AuditEntry') {
      const entry = readAuditEntry(fields, problems);
      if (entry) rows = { AuditEntry: [entry] };
    } else {
      const row = readRow(model, fields, problems);
      if (row) rows = { [model]: [row] };
      for (const account of rows?.BankAccount ?? []) bankAccountRules(account, problems);
      const [payment, timeEntry] = [rows?.Payment?.[0], rows?.TimeEntry?.[0]];
      const logo = rows?.CompanyLogo?.[0];
      if (logo) logoRules(logo, problems);
      const attachment = rows?.Attachment?.[0];
      if (attachment) attachmentRules(attachment, problems);
      const parties = rows?.InvoiceParties?.[0];
      if (parties) partiesRules(parties, problems);
      if (payment) paymentRules(payment, problems);
      const periodLock = rows?.PeriodLock?.[0];
      for (const byUser of [timeEntry, periodLock, payment])
        if (byUser?.userId) byUser.userId = userIds.get(byUser.userId) ?? byUser.userId;
    }
    return problems.any ? problems.errors : (rows ?? {});
  };
}

const noId = '00000000-0000-0000-0000-000000000000';
const unknownField = 'This field is not known here.';

function getInputFields(schema: GraphQLSchema, name: string | null) {
  if (name === null) return [];
  const type = schema.getType(name);
  if (!isInputObjectType(type)) throw new Error(`There is no input ${name}`);
  return Object.values(type.getFields()).filter((field) => !(notAsInput[name] ?? ownRules).includes(field.name));
}

/** The state isn't restricted here as it is for new rows. Items are read one by one. */
const ownRules = ['status', 'items', 'lines'];
/**
 * The fields of an input that rows may have otherwise: imports of statements keep what a bank sent, and a payment has the sign of its
 * receipt.
 */
const notAsInput: Record<string, string[]> = {
  CreateBankAccountInput: ['iban', 'currency'],
  MatchInput: ['id', 'amount', 'exchangeAmount'],
};

const pick = (values: Record<string, unknown>, inputs: { name: string }[]): Record<string, unknown> =>
  Object.fromEntries(inputs.map(({ name }) => [name, values[name]]));

/**
 * The texts as the file has them. Validators take away the spaces around a text before they check it, but a record must come back
 * as it was: its proof is of that text. So the text itself must have the bounds as well, and a code or an address has no spaces.
 */
function ownTexts(
  inputs: readonly Input[],
  values: Record<string, unknown>,
  checked: Record<string, unknown>,
  problems: Problems,
): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const { name, extensions } of inputs) {
    const [text, valid] = [values[name], checked[name]];
    if (typeof text !== 'string' || valid === undefined || text === valid) continue;
    const { validate } = (extensions['pothosOptions'] ?? {}) as { validate?: unknown };
    const { maxLength: max, pattern, format: form } = getBounds(validate);
    if (pattern !== undefined || form !== undefined)
      problems.add(name, 'invalid_format', 'Must not begin or end with spaces.');
    else if (max !== undefined && !hasAtMost(max, text))
      problems.add(name, 'too_long', `Must not be longer than ${max} characters.`, { max });
    texts[name] = text;
  }
  return texts;
}

/** The values by the names of the domain. A field that is left out gets its column's default, if there is one. */
function readColumns(columns: Column[], fields: Record<string, unknown>, problems: Problems): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const known = new Set(columns.map(({ column }) => column));
  for (const name of Object.keys(fields)) if (!known.has(name)) problems.add(name, 'unknown_field', unknownField);
  for (const column of columns) {
    const value = Object.hasOwn(fields, column.column) ? fields[column.column] : undefined;
    if (value === undefined || value === null) {
      if (value === null && !column.nullable) problems.add(column.name, 'not_nullable', 'Must not be null.');
      else if (!column.nullable && column.initial === null) problems.add(column.name, 'required', 'Required.');
      continue;
    }
    try {
      values[column.name] = readValue(column, value);
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      problems.add(column.name, 'invalid_format', error.message);
    }
  }
  return values;
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
