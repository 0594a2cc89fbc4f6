/** The values that the JSON of one request may have: more than twice those of the largest invoice. */
export const maxInputValues = 20_000;

export const tooWideMessage = `Must not have more than ${maxInputValues} values.`;

/** The levels that the variables of one request may have: filters contain filters. */
export const maxInputDepth = 32;

/** Which limit parsed JSON exceeds: of its levels, or of its values. It looks at no more values than a request may have. */
export function findExcess(value: unknown): 'levels' | 'values' | undefined {
  let left = maxInputValues;
  const waiting = [{ part: value, depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { part, depth } = next;
    if (typeof part !== 'object' || part === null) continue;
    if (depth > maxInputDepth) return 'levels';
    for (const name in part) {
      if (left === 0) return 'values';
      left -= 1;
      const inner = (part as Record<string, unknown>)[name];
      if (typeof inner === 'object' && inner !== null) waiting.push({ part: inner, depth: depth + 1 });
    }
  }
  return undefined;
}
