/**
 * Widths that together aren't more than `available`. The missing width is taken from the widest columns, so that those with little
 * in them keep what they need.
 */
export function fitWidths(natural: number[], available: number): number[] {
  const widths = [...natural];
  let missing = widths.reduce((sum, width) => sum + width, 0) - available;
  while (missing > 0.01) {
    const widest = Math.max(...widths);
    const at = widths.flatMap((width, index) => (widest - width < 0.001 ? [index] : []));
    const next = Math.max(0, ...widths.filter((width) => widest - width >= 0.001));
    const less = Math.min(missing / at.length, widest - next);
    for (const index of at) widths[index] = widest - less;
    missing -= less * at.length;
  }
  return widths;
}
