/** Colors as #rrggbb. */
export interface Palette {
  accent: string;
  /** The accent, or nearly black if the accent is too light to be read on white. */
  accentText: string;
  /** A very light accent, for backgrounds. */
  tint: string;
  ink: string;
  muted: string;
  hairline: string;
  watermark: string;
}

const ink = '#1b1e24';
// WCAG 2.2, 1.4.3: contrast of text.
const readableContrast = 4.5;

/** @param accent #rrggbb */
export function palette(accent: string): Palette {
  return {
    accent,
    accentText: contrastWithWhite(accent) >= readableContrast ? accent : ink,
    tint: mixWithWhite(accent, 0.07),
    ink,
    muted: '#5d6470',
    hairline: '#d6d9df',
    watermark: '#eceef1',
  };
}

const channels = (color: string): number[] => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

function mixWithWhite(color: string, share: number): string {
  const mixed = channels(color).map((channel) => Math.round(255 - (255 - channel) * share));
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

function contrastWithWhite(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color)
    .map((channel) => channel / 255)
    .map((channel) => (channel <= 0.040_45 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4));
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}
