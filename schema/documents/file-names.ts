/**
 * Characters that no name of a file may have: control characters, those that separate folders, those that Windows or a header
 * reads as something else, and those that change the direction in which text is shown.
 */
const forbidden = /[\p{Cc}\p{Zl}\p{Zp}/\\:*?"<>|\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * The name of a document's file, without its ending. It is the document's number, in which imported invoices may have any
 * characters: those that a name of a file may not have, and a dot at the start, become an underscore.
 */
export const nameFor = (number: string): string => number.replaceAll(forbidden, '_').replace(/^\./, '_');

/**
 * Names documents in one zip. If the name for a number is taken by another document, the document's id is added. Capital letters
 * make no difference: on Windows and macOS, one file would replace the other.
 */
export function uniqueNames(): (number: string, id: string) => string {
  const owners = new Map<string, string>();
  return (number, id) => {
    const name = nameFor(number);
    const key = name.toLowerCase();
    const owner = owners.get(key) ?? id;
    owners.set(key, owner);
    return owner === id ? name : `${name}-${id}`;
  };
}
