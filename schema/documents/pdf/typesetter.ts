import { eastAsianFonts, type Face, type Faces, loadFaces, type Weight } from './fonts.ts';
import { inVisualOrder, type Piece } from './visual-order.ts';

export interface FontStyle {
  weight?: Weight;
  /** Digits of equal width, for columns of numbers. */
  tabular?: boolean;
}

/** A line of text, ready to be drawn. */
export interface TextLine {
  text: string;
  /** From left to right. */
  runs: Run[];
  /** In em: times the font size it is points. Measured when it is asked for. */
  readonly width: number;
}

/** Characters of one font. */
export interface Run {
  /** In logical order: from right to left for Hebrew and Arabic. */
  text: string;
  face: Face;
  /** Measured when it is asked for. */
  readonly width: number;
  /** The characters that replacements stand for, for those who search or copy the text. */
  actual?: string | undefined;
}

/** Drawn instead of a character that no font has. */
export const replacement = '□';

// All of these are in Inter, and are written from left to right.
const simple = /^[\u0020-\u007e\u00a0-\u00ac\u00ae-\u017f\u2013\u2014\u2018-\u201e\u2022\u2026\u20ac\u2212]*$/;
const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\u200f\u061c]/u;
const invisible = /^\p{Default_Ignorable_Code_Point}$/u;
// Overrides and embeddings could make an amount look like another one.
const directionControls = /[\u202a-\u202e\u2066-\u2069]/g;
const lineEnds = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
const cachedWidths = 10_000;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

const typesetters = new Map<string, Promise<Typesetter>>();

/**
 * The typesetter of this process that has the fonts for a text. Its first call loads them.
 * @param text all of a document
 */
export function loadTypesetter(text = ''): Promise<Typesetter> {
  const fonts = eastAsianFonts(text);
  const key = fonts.join();
  const typesetter = typesetters.get(key) ?? load(loadFaces(...fonts));
  typesetters.set(key, typesetter);
  typesetter.catch(() => typesetters.delete(key));
  return typesetter;
}

async function load(loadingFaces: Promise<Faces>): Promise<Typesetter> {
  const [faces, { default: LineBreaker }, { default: bidiFactory }] = await Promise.all([
    loadingFaces,
    import('linebreak'),
    import('bidi-js/dist/bidi.mjs'),
  ]);
  return new Typesetter(faces, LineBreaker, bidiFactory());
}

type LineBreakerClass = typeof import('linebreak').default;
type Bidi = import('bidi-js').Bidi;

/** Breaks texts into lines, chooses a font for each character, and puts what is written from right to left in order. */
export class Typesetter {
  readonly #faces: Faces;
  readonly #LineBreaker: LineBreakerClass;
  readonly #bidi: Bidi;
  readonly #widths = new Map<string, number>();
  readonly #advances = new Map<Face, Map<string, number>>();

  constructor(faces: Faces, LineBreaker: LineBreakerClass, bidi: Bidi) {
    this.#faces = faces;
    this.#LineBreaker = LineBreaker;
    this.#bidi = bidi;
  }

  get faces(): Face[] {
    return Object.values(this.#faces).flat();
  }

  /** The fonts' features of a style. They are always named: pdfkit lays out texts without any word by word. */
  static features(style: FontStyle): ('tnum' | 'kern')[] {
    return style.tabular ? ['tnum'] : ['kern'];
  }

  /** A text on one line, however long. */
  line(text: string, style: FontStyle): TextLine {
    return this.#setLine(clean(text.replaceAll(new RegExp(lineEnds, 'g'), ' ')), undefined, style);
  }

  /**
   * A text in lines of at most `width` em. A word that is longer than a line is broken anywhere.
   * Several blank lines become one.
   */
  wrap(text: string, style: FontStyle, width: number): TextLine[] {
    const paragraphs = text
      .trim()
      .split(lineEnds)
      .map((paragraph) => clean(paragraph).trimEnd());
    return paragraphs
      .filter((paragraph, index) => paragraph !== '' || paragraphs[index - 1] !== '')
      .flatMap((paragraph) => this.#wrapParagraph(paragraph, style, width));
  }

  /** In em. */
  width(text: string, style: FontStyle): number {
    const key = `${style.weight ?? 'regular'} ${style.tabular === true} ${text}`;
    let width = this.#widths.get(key);
    if (width === undefined) {
      if (this.#widths.size >= cachedWidths) this.#widths.clear();
      width = this.#setLine(text, undefined, style).width;
      this.#widths.set(key, width);
    }
    return width;
  }

  #wrapParagraph(text: string, style: FontStyle, maxWidth: number): TextLine[] {
    const levels = rightToLeft.test(text) ? this.#bidi.getEmbeddingLevels(text, 'auto').levels : undefined;
    const setLine = (from: number, to: number): TextLine => {
      const line = text.slice(from, to).trimEnd();
      return this.#setLine(line, levels?.subarray(from, from + line.length), style);
    };
    const pieces = [...this.#pieces(text, style, maxWidth)];
    const lines: TextLine[] = [];
    for (let first = 0; first < pieces.length;) {
      const start = pieces[first]?.from ?? 0;
      let { least, most } = this.#countPieces(pieces, first, { text, style, maxWidth });
      // Setting a line takes a while, so few are tried.
      while (least < most) {
        const middle = Math.ceil((least + most) / 2);
        if (setLine(start, pieces[first + middle - 1]?.to ?? start).width <= maxWidth) least = middle;
        else most = middle - 1;
      }
      first += least;
      lines.push(setLine(start, pieces[first - 1]?.to ?? start));
    }
    return lines.length > 0 ? lines : [setLine(0, text.length)];
  }

  /**
   * How many pieces a line has at least and at most that begins with the first. Their widths are nearly the line's: letters
   * may be kerned, and those of two pieces joined.
   */
  #countPieces(
    pieces: Span[],
    first: number,
    { text, style, maxWidth }: { text: string; style: FontStyle; maxWidth: number },
  ): { least: number; most: number } {
    const count = { least: 1, most: 1 };
    const [least, most] = isSimple(text, style) ? [0.95, 1.05] : [0.9, 1.2];
    let width = 0;
    for (let at = first; at < pieces.length; at++) {
      const { from, to } = pieces[at] ?? { from: 0, to: 0 };
      const widthWith = width + this.#estimateWidth(text.slice(from, to).trimEnd(), style);
      if (widthWith > most * maxWidth) break;
      count.most = at - first + 1;
      if (widthWith <= least * maxWidth) count.least = at - first + 1;
      width += this.#estimateWidth(text.slice(from, to), style);
    }
    return count;
  }

  /** The parts of a text between which a line may end. None is wider than a line, unless it is a single character. */
  *#pieces(text: string, style: FontStyle, maxWidth: number): Generator<Span> {
    const breaker = new this.#LineBreaker(text);
    let from = 0;
    for (let next = breaker.nextBreak(); next !== null; next = breaker.nextBreak()) {
      const to = next.position;
      if (this.#fits(text.slice(from, to).trimEnd(), style, maxWidth)) yield { from, to };
      else {
        for (const { segment, index } of graphemes.segment(text.slice(from, to))) {
          yield { from: from + index, to: from + index + segment.length };
        }
      }
      from = to;
    }
  }

  #fits(text: string, style: FontStyle, maxWidth: number): boolean {
    return this.#estimateWidth(text, style) < 0.9 * maxWidth || this.width(text, style) <= maxWidth;
  }

  /** The width of a simple text without kerning, else its width: to set a text takes far longer than to add. */
  #estimateWidth(text: string, style: FontStyle): number {
    if (!isSimple(text, style)) return this.width(text, style);
    const face = this.#getFirstFace(style);
    const advances = this.#advances.get(face) ?? new Map<string, number>();
    this.#advances.set(face, advances);
    let width = 0;
    for (const character of text) {
      let advance = advances.get(character);
      if (advance === undefined) {
        advance = face.font.glyphForCodePoint(character.codePointAt(0) ?? 0).advanceWidth / face.font.unitsPerEm;
        advances.set(character, advance);
      }
      width += advance;
    }
    return width;
  }

  #getFirstFace(style: FontStyle): Face {
    const [first] = this.#faces[style.weight ?? 'regular'];
    if (first === undefined) throw new Error('there is no font');
    return first;
  }

  #setLine(text: string, lineLevels: Uint8Array | undefined, style: FontStyle): TextLine {
    const faces = this.#faces[style.weight ?? 'regular'];
    const inter = this.#getFirstFace(style);
    if (lineLevels === undefined && simple.test(text))
      return toLine(text, text === '' ? [] : [this.#run([text], inter, style)]);
    const levels =
      lineLevels ?? (rightToLeft.test(text) ? this.#bidi.getEmbeddingLevels(text, 'auto').levels : undefined);
    const pieces: Piece[] = [];
    for (const { segment, index } of graphemes.segment(text)) {
      const level = levels?.[index] ?? 0;
      for (const { characters, face, actual } of this.#chooseFaces(segment, faces, inter)) {
        const last = pieces.at(-1);
        const isSame =
          last?.face === face && last.level === level && (last.actual === undefined) === (actual === undefined);
        if (!isSame) pieces.push({ clusters: [characters], face, level, actual });
        else {
          last.clusters.push(characters);
          if (actual !== undefined) last.actual += actual;
        }
      }
    }
    const runs = inVisualOrder(pieces).map(({ clusters, face, level, actual }) => {
      // fontkit reverses scripts that are written from right to left. Other characters among them are reversed here.
      const isReversed = level % 2 === 1 && !rightToLeft.test(clusters.join(''));
      const inOrder = isReversed ? clusters.toReversed().map((cluster) => this.#mirror(cluster, face)) : clusters;
      return this.#run(inOrder, face, style, actual);
    });
    return toLine(text, runs);
  }

  #run(clusters: string[], face: Face, style: FontStyle, actual?: string): Run {
    // A no-break space has the glyph of a space.
    const text = clusters.join('').replaceAll(/[\u00a0\u202f]/g, ' ');
    return {
      text,
      face,
      get width() {
        return face.font.layout(text, Typesetter.features(style)).advanceWidth / face.font.unitsPerEm;
      },
      actual,
    };
  }

  #mirror(cluster: string, face: Face): string {
    const mirrored = this.#bidi.getMirroredCharacter(cluster);
    return mirrored !== null && has(face, mirrored) ? mirrored : cluster;
  }

  /** A character with its marks stays together, if one font has all of it. */
  *#chooseFaces(cluster: string, faces: Face[], inter: Face): Generator<Choice> {
    const characters = [...cluster];
    const visible = characters.filter((character) => !invisible.test(character));
    const shared = faces.find((face) => visible.every((character) => has(face, character)));
    for (const parts of shared === undefined ? visible.map((character) => [character]) : [characters]) {
      const face = shared ?? faces.find((each) => parts.every((character) => has(each, character)));
      if (face === undefined) yield { characters: replacement, face: inter, actual: parts.join('') };
      else {
        const drawn = parts.filter((character) => has(face, character)).join('');
        if (drawn !== '') yield { characters: drawn, face };
      }
    }
  }
}

/** Whether a text's width is nearly that of its characters. Digits of equal width are other glyphs than those. */
const isSimple = (text: string, style: FontStyle): boolean => style.tabular !== true && simple.test(text);

const toLine = (text: string, runs: Run[]): TextLine => ({
  text,
  runs,
  get width() {
    return runs.reduce((sum, run) => sum + run.width, 0);
  },
});

/** A part of a text. */
interface Span {
  from: number;
  to: number;
}

/** The font for some characters of a cluster. */
interface Choice {
  characters: string;
  face: Face;
  /** The characters that a replacement stands for. */
  actual?: string;
}

/** Glyph 0 is .notdef, which PDF/A forbids. */
const has = (face: Face, character: string): boolean =>
  face.font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0) && !/^[\p{Cc}\u00ad]$/u.test(character);

const clean = (text: string): string =>
  text.toWellFormed().normalize('NFC').replaceAll('\t', ' ').replaceAll(directionControls, '');
