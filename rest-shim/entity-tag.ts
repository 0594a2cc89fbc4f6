import { hash } from 'node:crypto';

// Entity tags (RFC 9110, 8.8.3). A tag is the row's version and a hash of the body: `"7-Jh3kQm2x"`. If-None-Match compares
// all of it, because a body can also depend on other rows or on the day. If-Match compares the version, which changes only
// when the resource itself does.

/** The strong tag of a body. @param version of the row; undefined where there is none */
export function entityTag(version: number | undefined, body: string | Uint8Array): string {
  const digest = hash('sha256', body, 'base64url').slice(0, 16);
  return version === undefined ? `"${digest}"` : `"${version}-${digest}"`;
}

/** Whether an If-None-Match contains a tag, by weak comparison: a compressing proxy makes a tag weak. */
export const matchesTag = (ifNoneMatch: string | null | undefined, tag: string): boolean =>
  ifNoneMatch != null && (ifNoneMatch.trim() === '*' || tagsIn(ifNoneMatch).some(({ opaque }) => opaque === tag));

/**
 * The version that an If-Match expects. Versions only grow, so that of several tags only the highest can be current.
 * @returns undefined for `*`, which any version satisfies; 0, which no row has, without a strong tag of a version
 */
export function parseExpectedVersion(ifMatch: string): number | undefined {
  if (ifMatch.trim() === '*') return undefined;
  const strong = tagsIn(ifMatch).filter(({ isWeak }) => !isWeak);
  const versions = strong.map(({ opaque }) => Number(/^"(\d{1,9})-/.exec(opaque)?.[1] ?? 0));
  return Math.max(0, ...versions);
}

/** The tags of a list. @returns each without the mark of a weak tag */
const tagsIn = (header: string): { opaque: string; isWeak: boolean }[] =>
  [...header.matchAll(/(W\/)?("[^"]*")/g)].map(([, weak, opaque = '']) => ({ opaque, isWeak: weak !== undefined }));
