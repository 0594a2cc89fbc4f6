import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mintToken, tokenHash } from '../../src/identity/token.ts';

describe('a token’s value', () => {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const base62 = (text: string): number =>
    [...text].reduce((sum, character) => sum * 62 + alphabet.indexOf(character), 0);

  it('is a fixed prefix, 40 random base62 characters, and a checksum of 6 characters', () => {
    for (let i = 0; i < 1000; i++) {
      const { value, hash, lastFour } = mintToken();
      expect(value).toMatch(/^kontor_[0-9A-Za-z]{46}$/);
      expect(base62(value.slice(-6))).toBe(crc32(value.slice(7, 47)));
      expect(Buffer.from(hash)).toEqual(createHash('sha256').update(value).digest());
      expect(value.endsWith(lastFour)).toBe(true);
      expect(tokenHash(value)).toEqual(hash);
    }
  });

  it('draws every character equally often', () => {
    const counts = new Map<string, number>();
    const tokens = 5000;
    for (let i = 0; i < tokens; i++)
      for (const character of mintToken().value.slice(7, 47)) counts.set(character, (counts.get(character) ?? 0) + 1);
    const expected = (tokens * 40) / 62;
    const chiSquared = [...alphabet].reduce(
      (sum, character) => sum + ((counts.get(character) ?? 0) - expected) ** 2 / expected,
      0,
    );
    // 61 degrees of freedom: exceeded by chance once in ten million times. Bytes modulo 62 would come to about 1,500.
    expect(chiSquared).toBeLessThan(137);
  });

  it('fails its checksum after a change of any one character', () => {
    fc.assert(
      fc.property(
        fc.nat(52),
        fc.oneof(fc.constantFrom(...alphabet), fc.string({ minLength: 1, maxLength: 1 })),
        (position, character) => {
          const { value } = mintToken();
          fc.pre(value[position] !== character);
          expect(tokenHash(value.slice(0, position) + character + value.slice(position + 1))).toBeNull();
        },
      ),
      { numRuns: 5000 },
    );
  });

  it('fails its checksum when two neighbours are swapped, or when it is shorter or longer', () => {
    fc.assert(
      fc.property(fc.nat(51), fc.string({ minLength: 1 }), (position, more) => {
        const { value } = mintToken();
        const swapped = value.slice(0, position) + value[position + 1]! + value[position]! + value.slice(position + 2);
        expect(swapped === value || tokenHash(swapped) === null).toBe(true);
        expect(tokenHash(value.slice(0, position))).toBeNull();
        expect(tokenHash(value + more)).toBeNull();
        expect(tokenHash(more + value)).toBeNull();
      }),
      { numRuns: 1000 },
    );
  });
});
