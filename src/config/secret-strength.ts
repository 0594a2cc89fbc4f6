// It can't be decided whether a secret is random. But it can be detected that a person only typed enough characters: one
// repeated character, a repeated pattern, or characters in alphabetical order.

const minLength = 32;
/** In bits. Secrets of 32 random digits, the smallest alphabet in use, have 96 bits on average, and hardly ever below 75. */
const minVariety = 56;

/** At least 32 characters, which aren't all alike, nor a repeated pattern, nor in the order of the alphabet. */
export const isStrongSecret = (text: string): boolean => text.length >= minLength && measureVariety(text) >= minVariety;

/**
 * A text's variety in bits: the Shannon entropy of its characters, times its length. A repeated pattern counts once. The
 * differences between adjacent characters are measured in the same way, and the smaller value counts.
 */
export function measureVariety(text: string): number {
  const codes = Array.from(text.slice(0, getPeriod(text)), (character) => character.codePointAt(0) ?? 0);
  const steps = codes.slice(1).map((code, index) => code - (codes[index] ?? 0));
  return Math.min(measureBits(codes), measureBits(steps));
}

function measureBits(values: number[]): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits += count * Math.log2(values.length / count);
  return bits;
}

/** The length of the shortest pattern that makes the text when repeated; the last time, it may be cut off. */
function getPeriod(text: string): number {
  for (let period = 1; period <= text.length / 2; period++) {
    if (text.startsWith(text.slice(period))) return period;
  }
  return text.length;
}
