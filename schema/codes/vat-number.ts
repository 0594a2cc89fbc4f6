import { checkVAT, countries } from 'jsvat';

/** Longer texts are no VAT number of any country. */
const maxLength = 32;

/** Of Northern Ireland, which jsvat doesn't know: as in Great Britain, with another prefix. */
const northernIreland = /^XI(?=\d)/;

/**
 * Whether a text has the form of its country's VAT numbers: `DE123456789`. Spaces, dots, and hyphens don't count. Check
 * digits aren't compared, because not every country publishes how it computes them. Whether the number was given to
 * somebody, only the authorities know.
 */
export function isVatNumber(text: string): boolean {
  if (text.length > maxLength) return false;
  return checkVAT(text.toUpperCase().replace(northernIreland, 'GB'), countries).isValidFormat;
}
