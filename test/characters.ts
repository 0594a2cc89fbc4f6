import fc from 'fast-check';

/** Any code point. fast-check's own unit, `binary`, takes a second and 100 MB to make, in each process. */
export const anyCharacter = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code));
