import fc from 'fast-check';
import { crc32, deflateSync } from 'node:zlib';

// PNGs put together by hand, so that they can be wrong.

export interface Shape {
  width: number;
  height: number;
  bitDepth?: number;
  /** 0 grey, 2 RGB, 3 palette, 4 grey with alpha, 6 RGBA. */
  colorType?: number;
  isInterlaced?: boolean;
}

const channels: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const signature = Buffer.from('89504e470d0a1a0a', 'hex');

export function chunk(type: string, data: Uint8Array = Buffer.alloc(0)): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
}

export function header({ width, height, bitDepth = 8, colorType = 6, isInterlaced = false }: Shape): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([bitDepth, colorType, 0, 0, isInterlaced ? 1 : 0], 8);
  return chunk('IHDR', data);
}

export const put = (...chunks: Buffer[]): Buffer<ArrayBuffer> => Buffer.concat([signature, ...chunks]);

/** A PNG of these lines, which may be fewer than it declares. */
export const buildPng = (shape: Shape, lines: Uint8Array): Buffer<ArrayBuffer> =>
  put(header(shape), ...palette(shape), chunk('IDAT', deflateSync(lines)), chunk('IEND'));

const palette = ({ colorType }: Shape): Buffer[] =>
  colorType === 3 ? [chunk('PLTE', Buffer.alloc(768, 90)), chunk('tRNS', Buffer.alloc(9, 128))] : [];

/** How many bytes the lines of a picture have, with the filter of each. */
export function lengthOfLines({ width, height, bitDepth = 8, colorType = 6, isInterlaced = false }: Shape): number {
  const bits = bitDepth * (channels[colorType] ?? 0);
  const lines = (wide: number, high: number): number => (wide > 0 ? high * (1 + Math.ceil((wide * bits) / 8)) : 0);
  if (!isInterlaced) return lines(width, height);
  const passes = [
    [0, 0, 8, 8],
    [4, 0, 8, 8],
    [0, 4, 4, 8],
    [2, 0, 4, 4],
    [0, 2, 2, 4],
    [1, 0, 2, 2],
    [0, 1, 1, 2],
  ] as const;
  return passes
    .map(([x, y, stepX, stepY]) => lines(Math.ceil((width - x) / stepX), Math.ceil((height - y) / stepY)))
    .reduce((sum, length) => sum + length);
}

const pixelFormats = [
  [0, 1],
  [0, 8],
  [0, 16],
  [2, 8],
  [2, 16],
  [3, 2],
  [3, 8],
  [4, 8],
  [6, 8],
  [6, 16],
  [2, 4],
] as const;

const anyShape: fc.Arbitrary<Shape> = fc
  .record({
    width: fc.integer({ min: 1, max: 40 }),
    height: fc.integer({ min: 1, max: 40 }),
    pixelFormat: fc.constantFrom(...pixelFormats),
    isInterlaced: fc.boolean(),
  })
  .map(({ pixelFormat: [colorType, bitDepth], ...shape }) => ({ ...shape, colorType, bitDepth }));

const rarely = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

/** PNGs whose data ends early, and which are broken in other ways as well. */
export const hostilePng: fc.Arbitrary<{ png: Buffer<ArrayBuffer>; isShort: boolean }> = fc
  .record({
    shape: anyShape,
    second: rarely(anyShape),
    missing: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.nat(60), fc.nat(6000)),
    // It is the filter of each line as well, of which there are five.
    fill: fc.nat(5),
    level: fc.constantFrom(0, 6, 9),
    cut: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.nat(30)),
    trailing: fc.nat(20),
    swap: rarely(fc.tuple(fc.nat(400), fc.nat(255))),
  })
  .map(({ shape, second, missing, fill, level, cut, trailing, swap }) => {
    const whole = lengthOfLines(shape);
    const lines = Buffer.alloc(Math.max(0, whole - missing), fill);
    const data = deflateSync(lines, { level });
    const middle = Math.floor(data.length / 2);
    const parts = [
      header(shape),
      ...(second ? [header(second)] : []),
      ...palette(shape),
      chunk('IDAT', data.subarray(0, middle)),
      chunk('IDAT', data.subarray(middle)),
      chunk('IEND'),
    ];
    const png = put(...parts, Buffer.alloc(trailing, 7)).subarray(0, cut === 0 ? undefined : -cut);
    if (swap) png[swap[0] % png.length] = swap[1];
    return { png, isShort: missing > 0 && whole > 0 && !swap };
  });
