import { createHash } from 'node:crypto';

// 75 mm × 20 mm at 300 dots per inch.
export const maxLogoWidth = 886;
export const maxLogoHeight = 236;

/** A PNG of 1 MiB can have many more pixels, which would fill the memory. */
export const maxLogoPixels = 16_000_000;

const cachedLogos = 50;
const cache = new Map<string, Buffer>();

/**
 * A logo as documents embed it: at most as large as a printer can show, and on white instead of transparent. Each document
 * has a copy of it, so this makes documents small, and saves the work for each of them.
 * @param png a PNG of at most `maxLogoPixels`
 * @throws if it is no PNG, or has more pixels
 */
export async function prepareLogo(png: Uint8Array): Promise<Buffer> {
  const key = createHash('sha256').update(png).digest('base64');
  const logo = cache.get(key) ?? (await shrink(Buffer.from(png)));
  if (cache.size >= cachedLogos) cache.clear();
  cache.set(key, logo);
  return logo;
}

/** @throws if it is no PNG, has too many pixels, or has more data than these */
function checkPng(bytes: Buffer): void {
  const isPng = bytes.length > 29 && bytes.readUInt32BE(0) === 0x89504e47;
  if (!isPng) throw new Error('The logo is no PNG');
  const [pixelsPerLine, lines] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  if (pixelsPerLine * lines > maxLogoPixels) throw new Error(`The logo has more than ${maxLogoPixels} pixels`);
  // pngjs bounds only the data of the others.
  const isInterlaced = bytes.readUInt8(28) === 1;
  if (isInterlaced) throw new Error('The logo must not be interlaced');
}

async function shrink(bytes: Buffer): Promise<Buffer> {
  checkPng(bytes);
  const { PNG } = await import('pngjs');
  const source = PNG.sync.read(bytes);
  const scale = Math.min(1, maxLogoWidth / source.width, maxLogoHeight / source.height);
  const [width, height] = [source.width, source.height].map((length) => Math.max(1, Math.round(length * scale)));
  const target = new PNG({ width, height });
  for (let y = 0; y < target.height; y++) {
    for (let x = 0; x < target.width; x++) {
      // The average of the pixels that become this one.
      const at = (y * target.width + x) * 4;
      const [left, right] = range(x, target.width, source.width);
      const [top, bottom] = range(y, target.height, source.height);
      let [red, green, blue] = [0, 0, 0];
      for (let row = top; row < bottom; row++) {
        for (let column = left; column < right; column++) {
          const from = (row * source.width + column) * 4;
          const alpha = (source.data[from + 3] ?? 0) / 255;
          const white = 255 * (1 - alpha);
          red += (source.data[from] ?? 0) * alpha + white;
          green += (source.data[from + 1] ?? 0) * alpha + white;
          blue += (source.data[from + 2] ?? 0) * alpha + white;
        }
      }
      const count = (right - left) * (bottom - top);
      for (const [channel, sum] of [red, green, blue].entries()) target.data[at + channel] = Math.round(sum / count);
      target.data[at + 3] = 255;
    }
  }
  return PNG.sync.write(target, { colorType: 2, inputHasAlpha: true });
}

/** The pixels of the source that become one pixel of the target, in one direction: from, and up to but not including. */
function range(index: number, length: number, sourceLength: number): [number, number] {
  const from = Math.floor((index * sourceLength) / length);
  return [from, Math.max(from + 1, Math.floor(((index + 1) * sourceLength) / length))];
}
