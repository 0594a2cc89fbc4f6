import type { FieldProblems } from '../../errors/errors.ts';
import type { EInvoiceFormat } from './formats.ts';
import type { EInvoice } from './model.ts';
import { prepare } from './prepare.ts';
import { en16931 } from './rules/en16931.ts';
import { peppol } from './rules/peppol.ts';
import type { Rule } from './rules/rule.ts';
import { cii, facturX, ubl } from './rules/syntax.ts';
import { vat } from './rules/vat.ts';
import { xrechnung } from './rules/xrechnung.ts';

/**
 * The rules of each format that an invoice of ours can break. Validators with the official rules, as Schematron, take too
 * long for a request, so these rules stand here again, under their official ids. rules/holders.ts says what holds the others.
 */
export const rulesByFormat: Record<EInvoiceFormat, Rule[]> = {
  'xrechnung-cii': [...en16931, ...cii, ...vat, ...xrechnung],
  'xrechnung-ubl': [...en16931, ...ubl, ...vat, ...xrechnung],
  peppol: [...en16931, ...ubl, ...vat, ...peppol],
  'factur-x': [...en16931, ...cii, ...vat, ...facturX],
};

/** A rule that an invoice breaks. */
export interface Breach {
  /** The official id: BR-DE-9. */
  id: string;
  /** The field to change, by its name in REST: customer.city, company.vat_id, items.0.unit_price_net. */
  field: string;
  /** The rule's requirement, as a sentence. */
  message: string;
}

/** All rules that an invoice breaks in a format. That a draft has no number yet is no breach. */
export function findBreaches(invoice: EInvoice, format: EInvoiceFormat): Breach[] {
  const prepared = prepare(invoice, format);
  return rulesByFormat[format].flatMap(({ id, message, breachedBy }) =>
    breachedBy(prepared).map((field) => ({ id, field, message })),
  );
}

/** Breaches as a 422 has them: `{"customer.city": ["BR-DE-8: The buyer needs a city."]}`. */
export function toProblems(breaches: Breach[]): FieldProblems {
  const problems: FieldProblems = {};
  for (const { id, field, message } of breaches)
    (problems[field] ??= []).push(['e_invoice_rule', `${id}: ${message}`, { rule: id }]);
  return problems;
}
