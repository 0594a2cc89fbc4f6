// The encoding of DATEV's files. Letters that it lacks lose their marks; what remains is a question mark.

const bytes = new Map(
  Array.from({ length: 256 }, (_, byte) => [new TextDecoder('windows-1252').decode(new Uint8Array([byte])), byte]),
);

/** Letters that Unicode doesn't take apart. */
const alike: Readonly<Record<string, string>> = { Ł: 'L', ł: 'l', Đ: 'D', đ: 'd', ı: 'i', Ħ: 'H', ħ: 'h', ẞ: 'SS' };

/** A text with characters of Windows-1252 only. */
export const toWindows1252Text = (text: string): string =>
  text
    .normalize('NFC')
    .replaceAll(/[^\0-\u007F]/gu, (character) =>
      bytes.has(character) ? character : (alike[character] ?? withoutMarks(character)),
    );

function withoutMarks(character: string): string {
  const plain = character.normalize('NFKD').replaceAll(/\p{M}/gu, '');
  return plain !== '' && [...plain].every((each) => bytes.has(each)) ? plain : '?';
}

/** @param text of toWindows1252Text() */
export const encodeWindows1252 = (text: string): Buffer =>
  Buffer.from([...text].map((character) => bytes.get(character) ?? 0x3f));
