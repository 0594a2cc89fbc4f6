import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { crc32 } from 'node:zlib';

// PNGs of strangers. They are drawn by WebAssembly, whose memory holds nothing but the picture, so a file that promises more
// than it has can't show anything else. Before it gets the file, the file's parts are checked, which takes no memory.

/** A PNG of 1 MiB can have many more pixels, which would fill the memory: each takes 4 bytes, and those of a line up to 8 more. */
export const maxPixels = 16_000_000;
const maxSide = 16_000;

/** A file that is no PNG, or one that can't be read. The message is for whoever has chosen it. */
export class PngError extends Error {}

export interface PngHeader {
  width: number;
  height: number;
  bitDepth: number;
  colorType: number;
  isInterlaced: boolean;
}

export interface PngParts {
  header: PngHeader;
  /** In their order. */
  chunks: { type: string; data: Buffer; whole: Buffer }[];
}

const signature = Buffer.from('89504e470d0a1a0a', 'hex');

export const isPng = (bytes: Uint8Array): boolean => signature.equals(bytes.subarray(0, signature.length));

/** The chunks that say what the pixels are. Others hold texts, times, animations, and profiles of colours. */
const pixelChunks = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);

/**
 * Reads a PNG's chunks, without its pixels. Bytes after its end are left out.
 * @throws PngError if it has too many pixels, or is not put together as a PNG is
 */
export function readPngParts(bytes: Buffer): PngParts {
  if (!isPng(bytes)) throw new PngError('it is no PNG');
  const chunks: PngParts['chunks'] = [];
  let header: PngHeader | undefined;
  for (let at = signature.length; ;) {
    const length = at + 12 <= bytes.length ? bytes.readUInt32BE(at) : Infinity;
    const end = at + 12 + length;
    if (end > bytes.length) throw new PngError('it breaks off');
    const whole = bytes.subarray(at, end);
    const type = whole.toString('latin1', 4, 8);
    const data = whole.subarray(8, -4);
    // The header is first, and there is one.
    if ((type === 'IHDR') !== (header === undefined)) throw new PngError('its header is not the first part');
    if (pixelChunks.has(type) && crc32(whole.subarray(4, -4)) !== whole.readUInt32BE(whole.length - 4))
      throw new PngError(`its checksum of ${type} is wrong`);
    header ??= readHeader(data);
    chunks.push({ type, data, whole });
    if (type === 'IEND') return { header, chunks };
    at = end;
  }
}

function readHeader(data: Buffer): PngHeader {
  if (data.length !== 13) throw new PngError('its header has a wrong length');
  const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
  if (width === 0 || height === 0) throw new PngError('it has no pixels');
  if (width * height > maxPixels) throw new PngError(`it has more than ${maxPixels} pixels`);
  if (Math.max(width, height) > maxSide) throw new PngError(`it is more than ${maxSide} pixels wide or high`);
  return {
    width,
    height,
    bitDepth: data.readUInt8(8),
    colorType: data.readUInt8(9),
    isInterlaced: data.readUInt8(12) === 1,
  };
}

export interface Picture {
  width: number;
  height: number;
  /** Red, green, blue, and alpha of each, line by line. */
  pixels: Uint8Array | Uint8ClampedArray;
}

/**
 * Reads a PNG's pixels: all that its header declares.
 * @throws PngError
 */
export async function decodePng(bytes: Buffer): Promise<Picture> {
  const { header, chunks } = readPngParts(bytes);
  const needed = chunks.filter(({ type }) => pixelChunks.has(type)).map(({ whole }) => whole);
  const decode = await loadDecoder();
  let picture: Picture;
  try {
    picture = decode(Buffer.concat([signature, ...needed]));
  } catch {
    // The decoder gives no reasons.
    throw new PngError('its data is broken or incomplete');
  }
  const { width, height, pixels } = picture;
  if (width !== header.width || height !== header.height || pixels.length !== width * height * 4)
    throw new PngError('its data is not that of its header');
  return picture;
}

async function loadDecoder(): Promise<(png: Uint8Array) => Picture> {
  const { default: init, decode } = await import('@jsquash/png/codec/pkg/squoosh_png.js');
  const wasm = await readFile(createRequire(import.meta.url).resolve('@jsquash/png/codec/pkg/squoosh_png_bg.wasm'));
  await init(wasm);
  // The decoder makes one of its results, and Node has none.
  Object.assign(globalThis, { ImageData: DecodedImage });
  return (png) => {
    const { width, height, data } = decode(png);
    return { width, height, pixels: data };
  };
}

class DecodedImage {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;

  constructor(data: Uint8ClampedArray, width: number, height: number) {
    this.data = data;
    this.width = width;
    this.height = height;
  }
}
