/** An XML element. Its content is a text, or elements. */
export interface Element {
  name: string;
  attributes: Record<string, string>;
  content: string | Element[];
}

/** Characters that XML 1.0 can't carry, not even escaped: control characters, lone surrogates, U+FFFE, and U+FFFF. */
const forbidden = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/**
 * A text as a document can say it: trimmed, with a space for each character that XML can't carry. Readers of XML turn
 * every line break into a line feed, so it is one here.
 */
export const escapeText = (text: string | undefined): string =>
  (text ?? '').replace(forbidden, ' ').replace(/\r\n?/g, '\n').trim();

/**
 * An element, or undefined if nothing is in it: EN 16931 leaves out what an invoice doesn't say, and Peppol refuses empty
 * elements (PEPPOL-EN16931-R008).
 */
export function element(
  name: string,
  content: string | undefined | (Element | undefined)[],
  attributes: Record<string, string> = {},
): Element | undefined {
  const written = Array.isArray(content) ? content.filter((child) => child !== undefined) : escapeText(content);
  return written.length === 0 ? undefined : { name, attributes, content: written };
}

/** An element that the syntax demands even if nothing is in it. */
export const requiredElement = (name: string, content: (Element | undefined)[]): Element =>
  element(name, content) ?? { name, attributes: {}, content: [] };

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/**
 * Escapes what has a meaning in XML. Characters of four bytes in UTF-8, such as emoji, are written as references: Java's
 * parser, which many validators use, takes some of them for an invalid sequence where its buffer ends.
 */
const escape = (text: string): string =>
  text.replace(
    /[&<>"\u{10000}-\u{10FFFF}]/gu,
    (character) => escapes[character] ?? `&#x${character.codePointAt(0)?.toString(16).toUpperCase()};`,
  );

/** An element as lines of text, the elements in it indented. */
function render({ name, attributes, content }: Element, indent: string): string {
  const start = [name, ...Object.entries(attributes).map(([key, value]) => `${key}="${escape(value)}"`)].join(' ');
  if (typeof content === 'string') return `${indent}<${start}>${escape(content)}</${name}>\n`;
  if (content.length === 0) return `${indent}<${start}/>\n`;
  const children = content.map((child) => render(child, `${indent}  `)).join('');
  return `${indent}<${start}>\n${children}${indent}</${name}>\n`;
}

/** A whole document, to be written as UTF-8. */
export const xmlDocument = (root: Element): string => `<?xml version="1.0" encoding="UTF-8"?>\n${render(root, '')}`;
