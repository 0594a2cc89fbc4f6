// Numbers of organizations whose check digits Peppol recomputes.

const getDigits = (text: string): number[] => Array.from(text, Number);

const weighted = (digits: number[], weightOf: (index: number) => number): number =>
  digits.reduce((total, digit, index) => total + digit * weightOf(index), 0);

/** A Global Location Number: digits with GS1's check digit, weights 3 and 1 from the right. */
export const isGln = (text: string): boolean =>
  /^\d{2,}$/.test(text) && weighted(getDigits(text).toReversed(), (index) => (index % 2 === 0 ? 1 : 3)) % 10 === 0;

/** Nine digits, modulo 11 with the weights 2 to 7 from the right. */
export const isNorwegianNumber = (text: string): boolean => {
  if (!/^\d{9}$/.test(text) || Number(text) === 0) return false;
  const [check, ...digits] = getDigits(text).toReversed();
  return (11 - (weighted(digits, (index) => (index % 6) + 2) % 11)) % 11 === check;
};

/** Eight digits, with or without DK. */
export const isDanishNumber = (text: string): boolean => /^(DK)?\d{8}$/.test(text);

/** The number of a Danish production unit: ten digits. */
export const isDanishUnitNumber = (text: string): boolean => /^\d{10}$/.test(text);

/** Eight digits after DK. */
export const isDanishTaxNumber = (text: string): boolean => /^DK\d{8}$/.test(text);

/** Ten digits; the last two are 97 minus the rest of the first eight by 97. */
export const isBelgianNumber = (text: string): boolean =>
  /^\d{10}$/.test(text) && 97 - (Number(text.slice(0, 8)) % 97) === Number(text.slice(8));

/** Ten digits with Luhn's check digit. */
export const isSwedishNumber = (text: string): boolean => {
  if (!/^\d{10}$/.test(text)) return false;
  const doubled = getDigits(text).map((digit, index) => (index % 2 === 0 ? getDigits(String(digit * 2)) : [digit]));
  return weighted(doubled.flat(), () => 1) % 10 === 0;
};

/** Eleven digits: 1 less than the first, weighted, is a multiple of 89. */
export const isAbn = (text: string): boolean => {
  if (!/^\d{11}$/.test(text)) return false;
  const [first = 0, ...digits] = getDigits(text);
  return weighted([first - 1, ...digits], (index) => (index === 0 ? 10 : index * 2 - 1)) % 89 === 0;
};
