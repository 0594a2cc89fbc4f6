import { inflateSync } from 'node:zlib';
import { isPng, readPngParts, type Picture } from './png.ts';

// 75 mm × 20 mm at 300 dots per inch.
export const maxLogoWidth = 886;
export const maxLogoHeight = 236;

/** How a logo's pixels are stored: red, green, and blue, of 8 bits each. */
const [bitDepth, colorType, bytesPerPixel] = [8, 2, 3] as const;
const lastFilter = 4;

/**
 * A logo as it is stored and as documents embed it: at most as large as a printer can show, and on white instead of transparent.
 * Each document has a copy of it, so this makes documents small, and saves the work for each of them.
 * @returns a PNG for which isStorableLogo() holds
 */
export async function makeStorableLogo({ width, height, pixels }: Picture): Promise<Buffer> {
  const { PNG } = await import('pngjs');
  const scale = Math.min(1, maxLogoWidth / width, maxLogoHeight / height);
  const target = new PNG({
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  });
  for (let y = 0; y < target.height; y++) {
    for (let x = 0; x < target.width; x++) {
      // The average of the pixels that become this one.
      const at = (y * target.width + x) * 4;
      const [left, right] = range(x, target.width, width);
      const [top, bottom] = range(y, target.height, height);
      let [red, green, blue] = [0, 0, 0];
      for (let row = top; row < bottom; row++) {
        for (let column = left; column < right; column++) {
          const from = (row * width + column) * 4;
          const alpha = (pixels[from + 3] ?? 0) / 255;
          const white = 255 * (1 - alpha);
          red += (pixels[from] ?? 0) * alpha + white;
          green += (pixels[from + 1] ?? 0) * alpha + white;
          blue += (pixels[from + 2] ?? 0) * alpha + white;
        }
      }
      const count = (right - left) * (bottom - top);
      for (const [channel, sum] of [red, green, blue].entries()) target.data[at + channel] = Math.round(sum / count);
      target.data[at + 3] = 255;
    }
  }
  // Only what is drawn here is written by pngjs. It reads no file of a stranger.
  return PNG.sync.write(target, { colorType, inputHasAlpha: true });
}

/** The pixels of the source that become one pixel of the target, in one direction: from, and up to but not including. */
function range(index: number, length: number, sourceLength: number): [number, number] {
  const from = Math.floor((index * sourceLength) / length);
  return [from, Math.max(from + 1, Math.floor(((index + 1) * sourceLength) / length))];
}

/** Whether a PNG is as makeStorableLogo() makes them, with all its lines. Documents embed such data as it is. */
export function isStorableLogo(png: Uint8Array): boolean {
  const bytes = Buffer.from(png);
  if (!isPng(bytes)) return false;
  try {
    const { header, chunks } = readPngParts(bytes);
    const { width, height } = header;
    const isPlain = header.bitDepth === bitDepth && header.colorType === colorType && !header.isInterlaced;
    if (!isPlain || width > maxLogoWidth || height > maxLogoHeight) return false;
    if (!/^IHDR(,IDAT)+,IEND$/.test(chunks.map(({ type }) => type).join())) return false;
    const lineLength = 1 + width * bytesPerPixel;
    const data = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map((chunk) => chunk.data));
    const lines = inflateSync(data, { maxOutputLength: height * lineLength });
    if (lines.length !== height * lineLength) return false;
    return Array.from({ length: height }, (_, line) => lines[line * lineLength] ?? Infinity).every(
      (filter) => filter <= lastFilter,
    );
  } catch {
    return false;
  }
}
