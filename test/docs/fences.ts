import type { Guide } from '../../src/pages/guides.ts';

/** A fenced block of a guide. */
export interface Fence {
  language: string;
  /** What follows the language: `answer`, `skip`, `save=NAME=path.to.value`, … */
  marks: string[];
  code: string;
  /** The line it begins on, counted from 1. */
  line: number;
}

export function fencesOf({ text }: Guide): Fence[] {
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
 * What differs between a guide's answer and the real one, by path. "…" stands for anything, as does one UUID or one
 * time for another; `part` says that the guide shows only some fields.
 */
export function differences(told: unknown, real: unknown, part: boolean, path = ''): string[] {
  if (told === '…') return real === undefined ? [`${path} isn't there`] : [];
  if (typeof told === 'string' && typeof real === 'string') {
    if ([uuid, time].some((form) => form.test(told) && form.test(real))) return [];
    // "2026-…" tells the beginning only.
    if (told.endsWith('…') ? real.startsWith(told.slice(0, -1)) : told === real) return [];
  } else if (typeof told === 'object' && typeof real === 'object' && told !== null && real !== null) {
    if (Array.isArray(told) !== Array.isArray(real)) return [`${path} is a list in one of them`];
    const names = new Set([...Object.keys(told), ...(part && !Array.isArray(told) ? [] : Object.keys(real))]);
    return [...names].flatMap((name) =>
      differences(
        (told as Record<string, unknown>)[name],
        (real as Record<string, unknown>)[name],
        part,
        path === '' ? name : `${path}.${name}`,
      ),
    );
  } else if (told === real) return [];
  return [`${path}: the guide says ${JSON.stringify(told)}, the server ${JSON.stringify(real)}`];
}
