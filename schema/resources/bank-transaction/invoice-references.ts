/** The limit of numbers that are read from a text: a text with more is a list of something else. */
const maxReferences = 100;
/** The longest number that is a word, with punctuation around it. */
const maxWordLength = 80;

/**
 * Invoice numbers of our own that a text may name: `2026-0017`, also written 2026/0017 or 20260017, and inside a structured
 * creditor reference (ISO 11649, RF18 2026 0017).
 */
function parseInvoiceNumbers(text: string): string[] {
  const numbers = new Set<string>();
  const plain = text.replace(/\bRF\d{2}/gi, ' ');
  // A lookahead, so that matches may overlap: in `1234 2026-0017` two pairs of numbers may be one invoice number.
  for (const [, year, rest] of plain.matchAll(/(?<!\d)(?=(\d{4})\s?[-–/._]?\s?(\d{4,10})(?!\d))/g))
    numbers.add(`${year}-${rest}`);
  return [...numbers].slice(0, maxReferences);
}

/** A number of another system that nothing else in a text is likely to be: no count, and no year. */
const isUnlikelyElse = (word: string): boolean => word.length >= 4 && /\d/.test(word) && !/^(?:19|20)\d\d$/.test(word);

/**
 * Invoice numbers that a text on money received may name: our own, and words that may be those of imported invoices, which keep the
 * numbers of another system. Many banks and payers write these in other letters, so that they are tried in capitals, too.
 */
export const numbersOfReceived = (text: string): string[] => [
  ...new Set([
    ...parseInvoiceNumbers(text),
    ...splitWords(text)
      .filter(isUnlikelyElse)
      .flatMap((word) => [word, word.toUpperCase()]),
  ]),
];

/** Credit note numbers that a text may name: `CN-2026-0003`, also written CN 2026/0003 or CN20260003. */
export function parseCreditNoteNumbers(text: string): string[] {
  const found = text.matchAll(/(?<![\p{L}\p{N}])CN\s?[-–/._]?\s?(\d{4})\s?[-–/._]?\s?(\d{4,9})(?!\d)/giu);
  return [...new Set([...found].map(([, year, rest]) => `CN-${year}-${rest}`))].slice(0, maxReferences);
}

/** Numbers that a text on money sent may name: words that may be a receipt's number, and credit note numbers. */
export const numbersOfSent = (text: string): string[] => [
  ...parseReceiptNumbers(text),
  ...parseCreditNoteNumbers(text),
];

/** Words that may be a receipt's number, in lower case: banks change that. */
export const parseReceiptNumbers = (text: string): string[] => splitWords(text.toLowerCase());

/** The words of a text that may be a number: with the punctuation around them, and without. */
function splitWords(text: string): string[] {
  const tokens = text.split(/[\s,;:]+/);
  const some = tokens.filter((token) => token !== '' && token.length <= maxWordLength).slice(0, maxReferences);
  const bare = some.map((token) => token.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''));
  return [...new Set([...some, ...bare])].filter((word) => word !== '');
}
