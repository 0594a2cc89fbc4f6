import type { Face } from './fonts.ts';

/** Characters of one font and one embedding level, in logical order. */
export interface Piece {
  clusters: string[];
  face: Face;
  level: number;
  actual: string | undefined;
}

/** Unicode's bidirectional algorithm, rule L2: from the highest level down, what has at least that level is reversed. */
export function inVisualOrder(pieces: Piece[]): Piece[] {
  let ordered = pieces;
  const highest = Math.max(0, ...pieces.map(({ level }) => level));
  for (let level = highest; level > 0; level--) {
    const next: Piece[] = [];
    let reversed: Piece[] = [];
    for (const piece of ordered) {
      if (piece.level >= level) reversed.unshift(piece);
      else {
        next.push(...reversed, piece);
        reversed = [];
      }
    }
    ordered = [...next, ...reversed];
  }
  return ordered;
}
