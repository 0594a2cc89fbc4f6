// An IBAN is written without spaces, or on paper in groups of four (ISO 13616), and by some in small letters. These are one
// account. A transaction keeps what was sent (DECISIONS.md#d51-what-is-imported), so an account is looked for by each spelling:
// they are few, so that an index finds them, however many accounts a tenant has.

const inGroups = (plain: string): string => plain.replaceAll(/(.{4})/g, '$1 ').trim();

/** The usual spellings of an account's number, the plain one first. A text that is none of them stands for itself only. */
export function listSpellings(text: string): [plain: string, ...others: string[]] {
  const plain = text.replaceAll(' ', '').toUpperCase();
  const spellings: [string, ...string[]] = [plain];
  for (const each of [inGroups(plain), plain.toLowerCase(), inGroups(plain).toLowerCase()])
    if (!spellings.includes(each)) spellings.push(each);
  return spellings.includes(text) ? spellings : [text];
}

/** The same as an expression of SQL: an array, which lacks a text that is no usual spelling. */
export function spellingsSql(text: string): string {
  const plain = `upper(replace(${text}, ' ', ''))`;
  const grouped = String.raw`trim(regexp_replace(${plain}, '(.{4})', '\1 ', 'g'))`;
  return `array[${plain}, ${grouped}, lower(${plain}), lower(${grouped})]`;
}
