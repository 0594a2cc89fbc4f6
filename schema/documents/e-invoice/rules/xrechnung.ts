import { electronicAddressRules, germanRules, lineRules } from './shared.ts';
import type { Rule } from './rule.ts';

/** Rules of XRechnung 3.0, on top of EN 16931. */
export const xrechnung: Rule[] = [
  ...germanRules((number) => `BR-DE-${number}`),
  ...electronicAddressRules('company.email', 'The seller needs an electronic address; its e-mail address is one.'),
  ...lineRules,
];
