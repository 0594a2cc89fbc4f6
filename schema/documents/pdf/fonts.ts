import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Font, GlyphRun } from 'fontkit';

export type Weight = 'regular' | 'semibold';

/** One font file, as it is shared by all documents. */
export interface Face {
  /** Under which name a document embeds it. */
  name: string;
  font: Font;
}

/** The faces of each weight, in the order in which they are asked for a character. */
export type Faces = Record<Weight, Face[]>;

// Inter draws Latin, Greek, and Cyrillic. The others draw what it lacks. All are under the Open Font License.
const files = {
  regular: [
    'inter/400Regular/Inter_400Regular.ttf',
    'noto-sans-hebrew/400Regular/NotoSansHebrew_400Regular.ttf',
    'ibm-plex-sans-arabic/400Regular/IBMPlexSansArabic_400Regular.ttf',
    'noto-emoji/400Regular/NotoEmoji_400Regular.ttf',
  ],
  semibold: [
    'inter/600SemiBold/Inter_600SemiBold.ttf',
    'noto-sans-hebrew/600SemiBold/NotoSansHebrew_600SemiBold.ttf',
    'ibm-plex-sans-arabic/600SemiBold/IBMPlexSansArabic_600SemiBold.ttf',
    'noto-emoji/600SemiBold/NotoEmoji_600SemiBold.ttf',
  ],
} satisfies Record<Weight, string[]>;

// They are ten megabytes each: only documents that need them read them. A document embeds the glyphs that it has. The Chinese
// font has all characters of Japanese, too, but as they are written in China.
const eastAsianFiles = {
  chinese: eastAsian('sc/400Regular/NotoSansSC_400Regular', 'sc/600SemiBold/NotoSansSC_600SemiBold'),
  japanese: eastAsian('jp/400Regular/NotoSansJP_400Regular', 'jp/600SemiBold/NotoSansJP_600SemiBold'),
  korean: eastAsian('kr/400Regular/NotoSansKR_400Regular', 'kr/600SemiBold/NotoSansKR_600SemiBold'),
} satisfies Record<string, Record<Weight, string[]>>;

function eastAsian(regular: string, semibold: string): Record<Weight, string[]> {
  return { regular: [`noto-sans-${regular}.ttf`], semibold: [`noto-sans-${semibold}.ttf`] };
}

type EastAsianFont = keyof typeof eastAsianFiles;

const kana = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const hangul = /\p{Script=Hangul}/u;
const otherEastAsian = /[\p{Script=Han}\p{Script=Bopomofo}\u3000-\u303f\uff00-\uffef]/u;

/** The fonts that a document with this text needs. The first writes the characters that more than one of them has. */
export function eastAsianFonts(text: string): EastAsianFont[] {
  const [isJapanese, isKorean] = [kana.test(text), hangul.test(text)];
  if (!isJapanese && !isKorean) return otherEastAsian.test(text) ? ['chinese'] : [];
  return [...(isJapanese ? (['japanese'] as const) : []), ...(isKorean ? (['korean'] as const) : []), 'chinese'];
}

/** Reads the fonts, and those of East Asia that are asked for. It takes some milliseconds for each. */
export async function loadFaces(...fonts: EastAsianFont[]): Promise<Faces> {
  const sets = [files, ...fonts.map((font) => eastAsianFiles[font])];
  return {
    regular: await Promise.all(sets.flatMap(({ regular }) => regular.map(loadFace))),
    semibold: await Promise.all(sets.flatMap(({ semibold }) => semibold.map(loadFace))),
  };
}

const faces = new Map<string, Promise<Face>>();

/** @param path is read once */
function loadFace(path: string): Promise<Face> {
  const face = faces.get(path) ?? readFace(path);
  faces.set(path, face);
  face.catch(() => faces.delete(path));
  return face;
}

async function readFace(path: string): Promise<Face> {
  const { create } = await import('fontkit');
  const font = create(await readFile(fileURLToPath(import.meta.resolve(`@expo-google-fonts/${path}`))));
  if (!('layout' in font)) throw new Error(`${path} is a collection of fonts`);
  return { name: font.postscriptName, font: shareable(font) };
}

// The layouts of how many characters are kept for each font: some megabytes. Words of labels and units repeat in every document.
const cachedCharacters = 20_000;

/** Makes a font give the same answers whatever other documents used it before. */
function shareable(font: Font): Font {
  // fontkit keeps each glyph with the characters it was first asked for. But two characters can have one glyph, and a
  // document maps glyphs to characters for those who search or copy its text.
  const getGlyph = font.getGlyph.bind(font);
  font.getGlyph = (id, codePoints = []) => {
    const glyph = getGlyph(id);
    void glyph.advanceWidth; // read once of the font's own glyph, and inherited by all others
    return Object.assign(Object.create(glyph), { codePoints });
  };

  const layout = font.layout.bind(font);
  const cache = new Map<string, GlyphRun>();
  let characters = 0;
  font.layout = (text, features) => {
    const names = Array.isArray(features) ? features : [];
    const key = `${names.join()} ${text}`;
    let run = cache.get(key);
    if (run === undefined) {
      if (characters > cachedCharacters) {
        cache.clear();
        characters = 0;
      }
      characters += key.length;
      // Digits of Arabic are written from left to right, which fontkit doesn't know.
      const direction = /\p{L}/u.test(text) ? undefined : 'ltr';
      try {
        run = layout(text, names, undefined, undefined, direction);
      } catch {
        // fontkit fails where a font has no anchor for a rare combination of marks.
        const unplacedMarks = { ...Object.fromEntries(names.map((name) => [name, true])), mark: false, mkmk: false };
        run = layout(text, unplacedMarks, undefined, undefined, direction);
      }
      cache.set(key, run);
    }
    // pdfkit scales the positions in place.
    return Object.create(run, { positions: { value: run.positions.map((position) => ({ ...position })) } });
  };
  return font;
}
