import { ValidationError, type Problem } from '../../errors/errors.ts';

// The database's CHECK constraints repeat rules that were checked under a lock. If one refuses a write nevertheless, the
// client gets a validation error at the path of the field.

const problems: Record<string, readonly [path: string, ...problem: Problem]> = {
  invoices_numbered_unless_draft: ['status', 'wrong_state', 'An invoice has a number unless it is a draft.'],
  invoices_issued_unless_draft: ['status', 'wrong_state', 'An invoice says when it was issued unless it is a draft.'],
  invoices_paid_within_total: ['amount', 'out_of_range', 'What is paid must be from zero to the total.'],
  invoices_adjusted_within_total: [
    'adjustments',
    'out_of_range',
    'What is settled without money and what is credited must be from zero to the total.',
  ],
  invoices_paid_when_settled: ['status', 'wrong_state', 'A paid invoice is paid in full, or credited.'],
  invoices_credited_within_total: ['input', 'out_of_range', 'What is credited must be from zero to the total.'],
  invoices_refunded_within_credited: [
    'amount',
    'out_of_range',
    'What is refunded must be from zero to what is credited.',
  ],
  invoices_paid_at_when_paid: ['status', 'wrong_state', 'A paid invoice, and no other, was paid in full at some time.'],
  invoices_cancelled_at_when_cancelled: [
    'status',
    'wrong_state',
    'A cancelled invoice, and no other, was cancelled at some time.',
  ],
  invoices_cancelled_unpaid: ['status', 'wrong_state', 'Of a cancelled invoice nothing is paid.'],
  invoices_due_after_date: ['input.dueDate', 'wrong_order', 'Must not be before the invoice date.'],
  invoices_total_is_net_and_vat: [
    'input.items',
    'inconsistent',
    "The invoice's total must be its net amount and its VAT.",
  ],
  attachments_position_positive: ['position', 'out_of_range', 'Must be at least 1.', { min: 1 }],
  attachments_filename_bounded: ['filename', 'too_long', 'Must not be longer than 255 characters.', { max: 255 }],
  attachments_content_type_known: ['file', 'invalid_file', 'Must be a PDF, JPEG, PNG, WebP, or XML, by its content.'],
  attachments_length_bounded: ['file', 'file_too_large', 'Must be at most 25 MiB.', { max: 26_214_400 }],
  attachments_sha256_whole: ['sha256', 'invalid_format', 'Must have 32 bytes.'],
  invoice_items_quantity_not_zero: ['input.items', 'zero', 'A quantity must not be zero.'],
  invoice_items_vat_rate_percent: [
    'input.items',
    'out_of_range',
    'A VAT rate must be from 0 to 100.',
    { min: 0, max: 100 },
  ],
  customers_electronic_address_has_scheme: [
    'input.electronicAddressScheme',
    'required',
    'Required together with the electronic address, and only then.',
  ],
  companies_electronic_address_has_scheme: [
    'input.electronicAddressScheme',
    'required',
    'Required together with the electronic address, and only then.',
  ],
  companies_registration_number_has_scheme: [
    'input.registrationNumberScheme',
    'required',
    'Required together with the registration number, and only then.',
  ],
  customers_payment_terms_within_a_year: [
    'input.paymentTermsDays',
    'out_of_range',
    'Must be from 0 to 365.',
    { min: 0, max: 365 },
  ],
  companies_payment_terms_within_a_year: [
    'input.paymentTermsDays',
    'out_of_range',
    'Must be from 0 to 365.',
    { min: 0, max: 365 },
  ],
  companies_vat_rate_percent: ['input.defaultVatRate', 'out_of_range', 'Must be from 0 to 100.', { min: 0, max: 100 }],
  invoice_items_vat_category_known: [
    'input.items',
    'unknown_value',
    'A VAT category must be one of S, Z, E, AE, K, G, O.',
  ],
  invoice_items_vat_category_by_rate: ['input.items', 'inconsistent', 'Only the VAT category S has a rate above 0.'],
  invoice_items_exemption_reason_by_category: [
    'input.items',
    'inconsistent',
    'Only VAT categories E, AE, K, G, and O have an exemption reason.',
  ],
  invoice_items_discount_percent: [
    'input.items',
    'out_of_range',
    'A discount must be from 0 to 100 per cent.',
    { min: 0, max: 100 },
  ],
  invoice_items_service_period_in_order: [
    'input.items',
    'wrong_order',
    'A service period must not end before it begins.',
  ],
  credit_notes_total_is_net_and_vat: [
    'input',
    'inconsistent',
    "The credit note's total must be its net amount and its VAT.",
  ],
  credit_notes_total_not_negative: ['input', 'total_out_of_range', "The credit note's total must not be negative."],
  credit_notes_refunded_within_total: ['amount', 'out_of_range', 'What is refunded must be from zero to the total.'],
  credit_note_items_quantity_not_zero: ['input.items', 'zero', 'A quantity must not be zero.'],
  credit_note_items_vat_rate_percent: [
    'input.items',
    'out_of_range',
    'A VAT rate must be from 0 to 100.',
    { min: 0, max: 100 },
  ],
  credit_note_items_vat_category_known: [
    'input.items',
    'unknown_value',
    'A VAT category must be one of S, Z, E, AE, K, G, O.',
  ],
  credit_note_items_vat_category_by_rate: [
    'input.items',
    'inconsistent',
    'Only the VAT category S has a rate above 0.',
  ],
  credit_note_items_discount_percent: [
    'input.items',
    'out_of_range',
    'A discount must be from 0 to 100 per cent.',
    { min: 0, max: 100 },
  ],
  invoice_files_of_one_document: ['id', 'wrong_state', 'A file is of one invoice or one credit note.'],
  document_proofs_of_one_document: ['id', 'wrong_state', 'A proof is of one invoice or one credit note.'],
  receipts_paid_within_total: ['amount', 'out_of_range', 'What is paid must be from zero to the amount payable.'],
  receipts_adjusted_within_total: [
    'adjustments',
    'out_of_range',
    'What is settled must be from zero to the amount payable.',
  ],
  receipts_paid_when_settled: ['status', 'wrong_state', 'A paid receipt is paid in full.'],
  receipts_paid_at_when_paid: ['status', 'wrong_state', 'A paid receipt, and no other, was paid in full at some time.'],
  receipts_draft_unpaid: ['status', 'wrong_state', 'Of a draft nothing is paid.'],
  receipts_reversed_pair: ['status', 'wrong_state', 'A reversed receipt, and the one that reverses it, are reversed.'],
  receipts_sign: [
    'input.amountGross',
    'wrong_sign',
    'A receipt is not less than zero; a credit, and a reversal, not more.',
    { expected: 'positive' },
  ],
  receipts_prepaid_within_total: [
    'input.amountPrepaid',
    'out_of_range',
    'What was prepaid must be from zero to the gross amount.',
  ],
  receipts_reversal_unpaid: ['amount', 'wrong_state', 'A reversal is never paid.'],
  receipts_reason_of_reversal: ['reason', 'wrong_state', 'Only what is reversed, and its reversal, have a reason.'],
  receipts_gross_is_net_and_vat: ['input.amountGross', 'inconsistent', 'Must be the net amount and the VAT.'],
  receipts_vat_rate_percent: ['input.vatRate', 'out_of_range', 'Must be from 0 to 100.', { min: 0, max: 100 }],
  receipt_lines_gross_is_net_and_vat: ['input.lines', 'inconsistent', 'Must be the net amount and the VAT.'],
  receipt_lines_vat_rate_percent: [
    'input.lines',
    'out_of_range',
    'A VAT rate must be from 0 to 100.',
    { min: 0, max: 100 },
  ],
  receipt_lines_deductible_percent: [
    'input.lines',
    'out_of_range',
    'What can be deducted must be from 0 to 100 per cent.',
    { min: 0, max: 100 },
  ],
  receipt_lines_vat_category_known: [
    'input.lines',
    'unknown_value',
    'A VAT category must be one of S, Z, E, AE, K, G, O, IMPORT.',
  ],
  receipt_lines_rate_by_vat_category: [
    'input.lines',
    'inconsistent',
    'The VAT category S, and no other at home, has a rate above 0.',
  ],
  receipt_lines_vat_by_vat_category: ['input.lines', 'inconsistent', 'The VAT category says whether there is VAT.'],
  projects_end_after_start: ['input.endDate', 'wrong_order', 'Must not be before the start date.'],
  projects_rate_not_negative: ['input.hourlyRateNet', 'out_of_range', 'Must be at least 0.', { min: 0 }],
  projects_budget_not_negative: ['input.budgetHours', 'out_of_range', 'Must be at least 0.', { min: 0 }],
  time_entries_within_a_day: [
    'input.durationMinutes',
    'out_of_range',
    'Must be from 1 to 1440.',
    { min: 1, max: 1440 },
  ],
  time_entries_rate_not_negative: ['input.hourlyRateNet', 'out_of_range', 'Must be at least 0.', { min: 0 }],
  bank_transactions_open_within_amount: ['amount', 'out_of_range', 'What is open must be from zero to the amount.'],
  bank_transactions_status_says_what_is_open: ['matchStatus', 'inconsistent', 'The state must say how much is open.'],
  payments_settle_one_thing: ['id', 'wrong_state', 'A payment settles one invoice, one receipt, or one credit note.'],
  payments_kind_of_what_it_pays: ['kind', 'inconsistent', 'This kind of payment can not settle that.'],
  payments_reason_of_write_off: ['reason', 'required', 'A write-off must have a reason.'],
  payments_exchange: ['exchangeAmount', 'inconsistent', 'An exchange has an amount, a currency, and a rate.'],
  payments_negative_when_reversal: [
    'amount',
    'wrong_sign',
    'A payment is more than zero, a reversal less.',
    { expected: 'positive' },
  ],
  payments_reason_of_reversal: [
    'reason',
    'wrong_state',
    'Only what is reversed, its reversal, and adjustments have a reason.',
  ],
  invoices_exchange_rate: [
    'input.exchangeRate',
    'inconsistent',
    'A document in foreign money has a rate, its day, and the home currency, or none of them.',
  ],
  credit_notes_exchange_rate: [
    'input.exchangeRate',
    'inconsistent',
    'A document in foreign money has a rate, its day, and the home currency, or none of them.',
  ],
  receipts_exchange_rate: [
    'input.exchangeRate',
    'inconsistent',
    'A document in foreign money has a rate, its day, and the home currency, or none of them.',
  ],
  invoices_exchanged_total_bounded: [
    'input.exchangeRate',
    'total_out_of_range',
    'The total in the home currency is too large.',
  ],
  credit_notes_exchanged_total_bounded: [
    'input.exchangeRate',
    'total_out_of_range',
    'The total in the home currency is too large.',
  ],
  receipts_exchanged_total_bounded: [
    'input.exchangeRate',
    'total_out_of_range',
    'The total in the home currency is too large.',
  ],
  bank_statements_end_after_start: ['toDate', 'wrong_order', 'Must not be before the first day.'],
  payments_reversal_stays: ['id', 'wrong_state', 'A reversal can not be reversed.'],
  tenant_deletions_certified: ['id', 'wrong_state', 'A deletion has a certificate once it has ended, and only then.'],
  deliveries_planned_while_waiting: [
    'id',
    'wrong_state',
    'A delivery has a next attempt while it waits, and only then.',
  ],
  deliveries_finished_unless_waiting: ['id', 'wrong_state', 'A delivery has ended unless it waits.'],
};

/** The names of the CHECK constraints that have a message. A test compares them with the database's. */
export const knownConstraints: readonly string[] = Object.keys(problems);

/**
 * The client's error for a write that this constraint refused.
 * @returns undefined for a constraint without a message: then the refusal is a fault of the service
 */
export function constraintError(constraint: string): ValidationError | undefined {
  const known = problems[constraint];
  if (!known) return undefined;
  const [path, ...problem] = known;
  return new ValidationError({ [path]: [problem] });
}
