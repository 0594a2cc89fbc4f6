import { date } from '../../format/format.ts';
import { t, translate } from '../../i18n/t.ts';

/** The parts of an address, as the server names them. */
const partsOfAddress = new Map([
  ['street', t('street')],
  ['postal code', t('postal code')],
  ['city', t('city')],
  ['country', t('country')],
]);

/** `street, city and country` */
function translateParts(said: string): string {
  const parts = said.split(/, | and /).map((part) => partsOfAddress.get(part) ?? part);
  const last = parts.pop() ?? '';
  return parts.length > 0 ? t('{parts} and {last}', { parts: parts.join(', '), last }) : last;
}

/** The server's sentences that differ by what is missing, by VAT category, or by country. */
const sentences: [said: RegExp, translated: (first: string, second: string) => string][] = [
  [
    /^The company's address has no (.+)\.$/,
    (parts) => t("The company's address has no {parts}.", { parts: translateParts(parts) }),
  ],
  [
    /^The customer's address has no (.+)\.$/,
    (parts) => t("The customer's address has no {parts}.", { parts: translateParts(parts) }),
  ],
  [
    /^The VAT category is (\w+), but company and customer are in the same country\.$/,
    (category) => t('The VAT category is {category}, but company and customer are in the same country.', { category }),
  ],
  [
    /^VAT is charged \(S\), but the customer has a VAT number of another member state \((\w*)\): /,
    (country) =>
      t(
        'VAT is charged (S), but the customer has a VAT number of another member state ({country}): services are usually reverse charge (AE), and goods a supply within the EU (K).',
        { country },
      ),
  ],
  [
    /^The VAT category is (\w+), but the customer has a VAT number of another member state \((\w*)\): /,
    (category, country) =>
      t(
        'The VAT category is {category}, but the customer has a VAT number of another member state ({country}): services are usually reverse charge (AE), and goods a supply within the EU (K).',
        { category, country },
      ),
  ],
  [
    /^The VAT category is (\w+), but the customer is in another member state \((\w*)\) and has no VAT number\.$/,
    (category, country) =>
      t(
        'The VAT category is {category}, but the customer is in another member state ({country}) and has no VAT number.',
        { category, country },
      ),
  ],
  [
    /^The VAT category is (\w+), but the customer is outside the EU \((\w*)\): /,
    (category, country) =>
      t(
        'The VAT category is {category}, but the customer is outside the EU ({country}): services are usually not subject to VAT (O), and goods an export (G).',
        { category, country },
      ),
  ],
  [
    /^No exchange rate is given, so the VAT isn't stated in (\w+)\.$/,
    (currency) => t("No exchange rate is given, so the VAT isn't stated in {currency}.", { currency }),
  ],
  [
    /^(\S+) was issued before it, and has a later date: (\S+)\.$/,
    (number, day) => t('{number} was issued before it, and has a later date: {day}.', { number, day: date(day) }),
  ],
];

function translateSentence(said: string): string {
  for (const [pattern, translated] of sentences) {
    const found = pattern.exec(said);
    if (found) return translated(found[1] ?? '', found[2] ?? '');
  }
  return translate(said);
}

/** A warning of the server, in the language of the pages. It ends with the law, if there is one: `… (§ 14 (4) No. 1 UStG).` */
export function translateWarning(message: string): string {
  const law = /(?<= \()(?:§|Art\.) .*(?=\)\.$)/.exec(message)?.[0];
  if (law === undefined) return translateSentence(message);
  const text = translateSentence(message.replace(` (${law})`, ''));
  return `${text.replace(/\.$/, '')} (${translate(law)}).`;
}
