/** Characters that XML 1.0 forbids, even as a reference. */
// oxlint-disable-next-line no-control-regex
const illegal = /[\0-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g;

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\r': '&#13;' };

/** A text as the content of an element or an attribute. Without what XML can't have. */
export const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replace(illegal, '')
    .replaceAll(/[&<>"\r]/g, (character) => entities[character] ?? '');
