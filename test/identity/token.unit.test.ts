import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mintToken, parseToken } from '../../src/identity/token.ts';

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
      expect(parseToken(value)).toEqual({ hash, test: false });
    }
  });

  it('of a test tenant has another prefix', () => {
    const { value, hash } = mintToken(true);
    expect(value).toMatch(/^kontor_test_[0-9A-Za-z]{46}$/);
    expect(parseToken(value)).toEqual({ hash, test: true });
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
          expect(parseToken(value.slice(0, position) + character + value.slice(position + 1))).toBeNull();
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
        expect(swapped === value || parseToken(swapped) === null).toBe(true);
        expect(parseToken(value.slice(0, position))).toBeNull();
        expect(parseToken(value + more)).toBeNull();
        expect(parseToken(more + value)).toBeNull();
      }),
      { numRuns: 1000 },
    );
  });
});
