import { readFileSync } from 'node:fs';

// Reads what a document tells its reader to type, so that a test types the same.

/** A document's code, by the section that it is in. */
export interface Page {
  /** The code of a section that begins so: of a line of text, or a line of a block, without its comment. */
  code(section: string, beginning: string): string;
  /** All of a section, with those below it. */
  section(title: string): string;
}

export function readPage(name: string): Page {
  const text = readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
  const section = (title: string): string => {
    const lines = text.split('\n');
    const first = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === title);
    if (first < 0) throw new Error(`${name} has no section "${title}"`);
    const level = lines[first]!.indexOf(' ');
    const isNext = new RegExp(`^#{1,${level}} `);
    const length = lines.slice(first + 1).findIndex((line) => isNext.test(line));
    return lines.slice(first + 1, length < 0 ? undefined : first + 1 + length).join('\n');
  };
  return {
    section,
    code: (title, beginning) => {
      const found = listCode(section(title)).find((code) => code.startsWith(beginning));
      if (found === undefined) throw new Error(`${name}, "${title}", has no code that begins with: ${beginning}`);
      return found;
    },
  };
}

const fence = /^```(\w*)\n([^]*?)^```$/gm;

function listCode(section: string): string[] {
  const lines = [...section.matchAll(fence)].flatMap(([, language, code = '']) => {
    const comment = language === 'sql' ? / +-- .*$/ : / +# .*$/;
    const joined = code.replaceAll('\\\n', ' ').split('\n');
    return joined.map((line) => line.replace(comment, '').trim());
  });
  const spans = section.replaceAll(fence, '').matchAll(/`([^`\n]+)`/g);
  return [...[...spans].map(([, code = '']) => code), ...lines];
}

/** Puts values in the places of placeholders, each of which must be there. */
export function fill(code: string, values: Record<string, string>): string {
  let filled = code;
  for (const [placeholder, value] of Object.entries(values)) {
    if (!filled.includes(placeholder)) throw new Error(`${code} has no ${placeholder}`);
    filled = filled.replaceAll(placeholder, () => value);
  }
  return filled;
}
