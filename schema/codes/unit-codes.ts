import { hadCode } from './code-lists.ts';

/**
 * Whether a text is the code of a unit (UN/ECE Recommendation 20), or of a package (Recommendation 21, with an X before it):
 * `HUR` is an hour, `C62` one, `XBX` a box.
 */
export const isUnitCode = (code: string): boolean => hadCode('en-units', code);

/** The codes of usual labels, in English and German. */
const labels: Record<string, string> = {
  HUR: 'h hr hrs hour hours std std. stunde stunden',
  MIN: 'min min. minute minutes minuten',
  DAY: 'd day days tag tage',
  WEE: 'week weeks woche wochen',
  MON: 'mo month months monat monate',
  ANN: 'y yr year years jahr jahre',
  H87: 'pc pcs pcs. piece pieces st st. stk stk. stück',
  KMT: 'km',
  MTR: 'm',
  MTK: 'm² m2 qm',
  MTQ: 'm³ m3 cbm',
  GRM: 'g',
  KGM: 'kg',
  TNE: 't',
  LTR: 'l',
  KWH: 'kwh',
  P1: '%',
  SET: 'set sets',
  LS: 'flat pauschal pauschale psch psch.',
};

/** One of anything. */
const one = 'C62';

const codesByLabel = new Map(
  Object.entries(labels).flatMap(([code, texts]) => texts.split(' ').map((label) => [label, code] as const)),
);

/** The code of a line that says none: of its unit's label, in any case; C62 for other labels, and for none. */
export const usualUnitCode = (unit: string | null | undefined): string =>
  (unit && codesByLabel.get(unit.toLowerCase())) || one;

/** The code of a stored line. Lines from before there were codes have none of their own. */
export const getUnitCode = ({ unit, unitCode }: { unit: string | null; unitCode: string | null }): string =>
  unitCode ?? usualUnitCode(unit);
