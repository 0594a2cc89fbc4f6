const toLinear = (channel: number): number =>
  channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;

/** The contrast of a colour, `#1a2b3c`, with white: 1 to 21, as WCAG 2 computes it. Undefined for other text. */
export function contrastOnWhite(color: string): number | undefined {
  const digits = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(color.trim());
  if (!digits) return undefined;
  const [red = 0, green = 0, blue = 0] = digits.slice(1).map((pair) => toLinear(Number.parseInt(pair, 16) / 255));
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}
