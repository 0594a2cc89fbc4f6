/** The values that the JSON of one request may have: more than twice those of the largest invoice. */
export const maxInputValues = 20_000;

export const tooWideMessage = `Must not have more than ${maxInputValues} values.`;

/** Whether parsed JSON has more values than a request may. It looks at no more of them than that. */
export function isTooWide(value: unknown): boolean {
  let left = maxInputValues;
  const waiting = [value];
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (typeof part !== 'object' || part === null) continue;
    for (const name in part) {
      if (left === 0) return true;
      left -= 1;
      const inner = (part as Record<string, unknown>)[name];
      if (typeof inner === 'object' && inner !== null) waiting.push(inner);
    }
  }
  return false;
}
