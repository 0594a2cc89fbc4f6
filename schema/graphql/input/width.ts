/** The values that the JSON of one request may have: more than twice those of the largest invoice. */
export const maxInputValues = 20_000;

export const tooWideMessage = `Must not have more than ${maxInputValues} values.`;

/** The levels that the variables of one request may have: filters contain filters. */
export const maxInputDepth = 32;

/** Whether parsed JSON has more levels than variables may. It looks at no more values than a request may have. */
export const isTooDeep = (value: unknown): boolean => measure(value) === 'deep';

/** Whether parsed JSON has more values than a request may. It looks at no more of them than that. */
export const isTooWide = (value: unknown): boolean => measure(value, Infinity) === 'wide';

function measure(value: unknown, maxDepth = maxInputDepth): 'deep' | 'wide' | undefined {
  let left = maxInputValues;
  const waiting = [{ part: value, depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { part, depth } = next;
    if (typeof part !== 'object' || part === null) continue;
    if (depth > maxDepth) return 'deep';
    for (const name in part) {
      if (left === 0) return 'wide';
      left -= 1;
      const inner = (part as Record<string, unknown>)[name];
      if (typeof inner === 'object' && inner !== null) waiting.push({ part: inner, depth: depth + 1 });
    }
  }
  return undefined;
}
