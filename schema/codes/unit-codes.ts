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

/** The code of a usual label, in lower case. */
export const unitCodesByLabel: ReadonlyMap<string, string> = new Map(
  Object.entries(labels).flatMap(([code, texts]) => texts.split(' ').map((label) => [label, code] as const)),
);

/** The code of one of anything. */
export const unitOne = 'C62';
