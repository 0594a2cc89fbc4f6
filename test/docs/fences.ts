import type { Guide } from '../../src/pages/guides.ts';

/** A fenced block of a guide. */
export interface Fence {
  language: string;
  /** The words after the language: `answer`, `skip`, `save=NAME=path.to.value`, … */
  marks: string[];
  code: string;
  /** The number of its first line, from 1. */
  line: number;
}

export function parseFences({ text }: Guide): Fence[] {
  return [...text.matchAll(/^```(\w+)(.*)\n([^]*?)^```$/gm)].map((match) => ({
    language: match[1]!,
    marks: match[2]!.trim().split(/\s+/).filter(Boolean),
    code: match[3]!,
    line: text.slice(0, match.index).split('\n').length,
  }));
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/**
 * The differences between a guide's answer and the real one, by path. "…" matches any value, a UUID any UUID, and a time
 * any time. With `part` the guide shows only some fields.
 */
export function differences(documented: unknown, real: unknown, part: boolean, path = ''): string[] {
  if (documented === '…') return real === undefined ? [`${path} isn't there`] : [];
  if (typeof documented === 'string' && typeof real === 'string') {
    if ([uuid, time].some((form) => form.test(documented) && form.test(real))) return [];
    // "2026-…" matches any text with this beginning.
    if (documented.endsWith('…') ? real.startsWith(documented.slice(0, -1)) : documented === real) return [];
  } else if (typeof documented === 'object' && typeof real === 'object' && documented !== null && real !== null) {
    if (Array.isArray(documented) !== Array.isArray(real)) return [`${path} is a list in one of them`];
    const names = new Set([
      ...Object.keys(documented),
      ...(part && !Array.isArray(documented) ? [] : Object.keys(real)),
    ]);
    return [...names].flatMap((name) =>
      differences(
        (documented as Record<string, unknown>)[name],
        (real as Record<string, unknown>)[name],
        part,
        path === '' ? name : `${path}.${name}`,
      ),
    );
  } else if (documented === real) return [];
  return [`${path}: the guide says ${JSON.stringify(documented)}, the server ${JSON.stringify(real)}`];
}
