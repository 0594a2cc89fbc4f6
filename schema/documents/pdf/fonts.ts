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

/** Reads the fonts. To be called once: it takes some milliseconds. */
export async function loadFaces(): Promise<Faces> {
  const { create } = await import('fontkit');
  const load = async (path: string): Promise<Face> => {
    const font = create(await readFile(fileURLToPath(import.meta.resolve(`@expo-google-fonts/${path}`))));
    if (!('layout' in font)) throw new Error(`${path} is a collection of fonts`);
    return { name: font.postscriptName, font: shareable(font) };
  };
  return {
    regular: await Promise.all(files.regular.map(load)),
    semibold: await Promise.all(files.semibold.map(load)),
  };
}

// How many texts' layouts are kept for each font. Words of labels and units repeat in every document.
const cachedLayouts = 2_000;

/** Makes a font give the same answers whatever other documents used it before. */
function shareable(font: Font): Font {
  // fontkit keeps each glyph with the characters it was first asked for. But two characters can have one glyph, and a
  // document maps glyphs to characters for those who search or copy its text.
  const getGlyph = font.getGlyph.bind(font);
  font.getGlyph = (id, codePoints = []) => Object.create(getGlyph(id), { codePoints: { value: codePoints } });

  const layout = font.layout.bind(font);
  const cache = new Map<string, GlyphRun>();
  font.layout = (text, features) => {
    const names = Array.isArray(features) ? features : [];
    const key = `${names.join()} ${text}`;
    let run = cache.get(key);
    if (run === undefined) {
      if (cache.size >= cachedLayouts) cache.clear();
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
