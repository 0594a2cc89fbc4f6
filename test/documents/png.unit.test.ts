import fc from 'fast-check';
import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import makeLogo from '../../schema/documents/logo-thread.ts';
import { isStorableLogo, makeStorableLogo } from '../../schema/documents/pdf/logo.ts';
import { decodePng } from '../../schema/documents/pdf/png.ts';
import { chunk, header, hostilePng, lengthOfLines, buildPng, put, type Shape } from './pngs.ts';

const { allocUnsafe, allocUnsafeSlow } = Buffer;

/** Makes a logo while all memory that nobody initialised holds a marker. */
async function makeLogoAmong(marker: number, file: Buffer): Promise<{ png?: string; problem?: string }> {
  Buffer.allocUnsafe = (size) => allocUnsafe(size).fill(marker);
  Buffer.allocUnsafeSlow = (size) => allocUnsafeSlow(size).fill(marker);
  try {
    const result = await makeLogo(file);
    return 'png' in result ? { png: Buffer.from(result.png).toString('base64') } : result;
  } finally {
    Object.assign(Buffer, { allocUnsafe, allocUnsafeSlow });
  }
}

const small: Shape = { width: 4, height: 4 };
const zeros = (shape: Shape, missing = 0): Buffer => Buffer.alloc(lengthOfLines(shape) - missing);

describe('a logo made of a PNG', () => {
  it('has no byte that does not follow from the file, whatever memory held before', async () => {
    const refused = { short: 0, other: 0 };
    let made = 0;
    // Another picture, which the decoder's own memory held before.
    const bright = buildPng({ width: 60, height: 60 }, Buffer.alloc(lengthOfLines({ width: 60, height: 60 }), 255));
    await fc.assert(
      fc.asyncProperty(hostilePng, async ({ png, isShort }) => {
        const first = await makeLogoAmong(0xa5, png);
        await makeLogo(bright);
        expect(await makeLogoAmong(0x5a, png)).toEqual(first);
        if (isShort) expect(first.problem).toMatch(/^Can't be read/);
        if (first.png !== undefined) {
          made += 1;
          expect(isStorableLogo(Buffer.from(first.png, 'base64'))).toBe(true);
        } else refused[isShort ? 'short' : 'other'] += 1;
      }),
      { numRuns: 400, seed: 26 },
    );
    expect(Math.min(made, refused.short, refused.other)).toBeGreaterThan(20);
  });

  const wide: Shape = { width: 40, height: 30 };
  it.each<[string, Buffer, string]>([
    ['only the filter of the last line', buildPng(wide, zeros(wide, 160)), 'broken or incomplete'],
    ['one byte less', buildPng(wide, zeros(wide, 1)), 'broken or incomplete'],
    ['no data', buildPng(wide, Buffer.alloc(0)), 'broken or incomplete'],
    ['a second header', put(header(small), header({ width: 9_000, height: 9_000 })), 'header is not the first part'],
    [
      'a second header behind the data',
      Buffer.concat([buildPng(small, zeros(small)).subarray(0, -12), header({ width: 9_000, height: 9_000 })]),
      'header is not the first part',
    ],
    ['no header', put(chunk('IDAT'), chunk('IEND')), 'header is not the first part'],
    ['a short header', put(chunk('IHDR', Buffer.alloc(4))), 'wrong length'],
    ['no width', put(header({ width: 0, height: 4 })), 'no pixels'],
    ['many pixels', buildPng({ width: 60_000, height: 60_000 }, Buffer.alloc(100)), 'more than 16000000 pixels'],
    ['a long line', buildPng({ width: 16_000_000, height: 1 }, Buffer.alloc(100)), '16000 pixels wide'],
    ['many pixels of little data', buildPng({ width: 4_000, height: 4_000 }, Buffer.alloc(100)), 'incomplete'],
    ['interlaced lines that end early', buildPng({ ...wide, isInterlaced: true }, Buffer.alloc(90)), 'incomplete'],
    ['an end that is missing', buildPng(small, zeros(small)).subarray(0, -12), 'breaks off'],
    ['a chunk beyond its end', put(header(small), Buffer.from('7fffffff49444154', 'hex')), 'breaks off'],
    ['no palette', put(header({ ...small, colorType: 3 }), chunk('IDAT'), chunk('IEND')), 'incomplete'],
  ])('is refused: %s', async (_name, png, message) => {
    expect(await makeLogo(png)).toEqual({ problem: expect.stringContaining(message) });
  });

  it('is refused where a checksum is wrong', async () => {
    const png = buildPng(small, zeros(small));
    png.writeUInt8(png.readUInt8(50) ^ 1, 50);
    expect(await makeLogo(png)).toEqual({ problem: "Can't be read: its checksum of IDAT is wrong." });
  });

  it.each<[string, Shape, number, number[]]>([
    ['of 8 bits', small, 255, [255, 255, 255, 255]],
    ['transparent', small, 0, [255, 255, 255, 255]],
    ['of 16 bits', { ...small, bitDepth: 16, colorType: 2 }, 128, [128, 128, 128, 255]],
    ['grey, of one bit', { ...small, bitDepth: 1, colorType: 0 }, 0, [0, 0, 0, 255]],
    ['of a palette with transparency', { ...small, colorType: 3 }, 1, [172, 172, 172, 255]],
    ['interlaced', { ...small, colorType: 2, isInterlaced: true }, 0, [0, 0, 0, 255]],
  ])('shows the pixels of the file: %s', async (_name, shape, value, expected) => {
    const { height } = shape;
    const lines = zeros(shape).fill(value);
    if (!shape.isInterlaced) for (let line = 0; line < height; line++) lines[(line * lines.length) / height] = 0;
    const logo = await makeStorableLogo(await decodePng(Buffer.concat([buildPng(shape, lines), Buffer.alloc(99, 7)])));
    const { width, data } = PNG.sync.read(logo);
    expect([width, [...data.subarray(-4)]]).toEqual([4, expected]);
  });

  it('reads only what makes the pixels: no profile, text, or frame', async () => {
    const bomb = chunk('iCCP', Buffer.concat([Buffer.from('a\0\0'), Buffer.alloc(50_000)]));
    const frame = chunk('fcTL', Buffer.from('00000000000000020000000200000000000000000000000000', 'hex'));
    const png = buildPng(small, zeros(small));
    const { png: made } = (await makeLogo(Buffer.concat([png.subarray(0, 33), bomb, frame, png.subarray(33)]))) as {
      png: Uint8Array;
    };
    expect(PNG.sync.read(Buffer.from(made))).toMatchObject({ width: 4, height: 4 });
  });
});

describe('a stored logo', () => {
  const plain: Shape = { width: 6, height: 3, colorType: 2 };
  const lines = zeros(plain);

  it('is one that was made here', async () => {
    expect(isStorableLogo(await makeStorableLogo({ width: 2, height: 2, pixels: new Uint8Array(16) }))).toBe(true);
    expect(isStorableLogo(buildPng(plain, lines))).toBe(true);
  });

  it.each<[string, Buffer]>([
    ['no PNG', Buffer.from('<svg/>')],
    ['with fewer lines', buildPng(plain, lines.subarray(0, -19))],
    ['with only the filter of its last line', buildPng(plain, lines.subarray(0, -18))],
    ['with a filter that there is not', buildPng(plain, Buffer.alloc(lines.length, 5))],
    ['with more data', buildPng(plain, Buffer.concat([lines, lines]))],
    ['with alpha', buildPng(small, zeros(small))],
    ['interlaced', buildPng({ ...plain, isInterlaced: true }, lines)],
    ['of 16 bits', buildPng({ ...plain, bitDepth: 16 }, Buffer.alloc(lines.length * 2))],
    ['wider than documents show it', buildPng({ ...plain, width: 887 }, Buffer.alloc(3 * (1 + 3 * 887)))],
    ['with other chunks', put(header(plain), chunk('tRNS', Buffer.alloc(6)), buildPng(plain, lines).subarray(33))],
  ])('is none: %s', (_name, png) => {
    expect(isStorableLogo(png)).toBe(false);
  });
});
