import { parse } from 'csv-parse/sync';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvChunks, formulaSafe } from '../../schema/exports/csv.ts';
import type { Cells } from '../../schema/exports/table.ts';

// A German spreadsheet splits by semicolons, others by what their users choose: the rest of a text may become a cell.

const columns = [
  { name: 'id', type: 'text' },
  { name: 'name', type: 'text' },
  { name: 'city', type: 'text' },
  { name: 'amount', type: 'number' },
] as const;

async function write(...rows: Cells[]): Promise<string> {
  const parts: Buffer[] = [];
  const pages = (async function* () {
    yield rows;
  })();
  for await (const part of csvChunks(columns, pages, { isMarked: false })) parts.push(part);
  return Buffer.concat(parts).toString();
}

const isFormula = (cell: string): boolean => /^[=+\-@＝＋－＠]/.test(cell) && !/^[+-]?\d+(\.\d+)?$/.test(cell);

/** The cells as a spreadsheet has them that doesn't split by our commas, whatever it makes of quotes and blanks. */
const splitOtherwise = (file: string): string[] => file.split(/[;\t\r\n]/).map((cell) => cell.replace(/^[\s"]+/, ''));

describe('A text in a CSV file', () => {
  it('has an apostrophe before what would be a formula in a cell of its own', () => {
    for (const [text, safe] of [
      ["A;=cmd|' /C calc'!A0;", "A;'=cmd|' /C calc'!A0;"],
      ['A; =1', "A; '=1"],
      ['A;"=1"', `A;"'=1"`],
      ['A;" "@x', `A;" "'@x`],
      ['A;;-5', "A;;'-5"], // more may follow, as in -5,0+x
      ['A\t+1', "A\t'+1"],
      ['two\r\n- lines', "two\r\n'- lines"],
      ['=1;=2', "'=1;'=2"],
      ['＝1+1;＠x', "'＝1+1;'＠x"],
    ])
      expect(formulaSafe(text!)).toBe(safe);
  });

  it('stays as it is where nothing would be a formula', () => {
    for (const text of [
      '',
      'a=b',
      'x@example.com',
      '1-2;3+4',
      'A; B',
      'A, -5',
      'A;x=1',
      '-5',
      '+7.5',
      "A;'=1",
      '{"a": -1}',
    ])
      expect(formulaSafe(text)).toBe(text);
  });

  it('begins no cell with a formula, by whatever the file is split', async () => {
    const text = fc.string({ unit: fc.constantFrom(...'=+-@＝＠;,"\t\r\n \'a1.'), maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 3 }), async (texts) => {
        const rows = texts.map(([name, city], at): Cells => [`id${at}`, name, city, '-5']);
        const file = await write(...rows);
        const cells = parse(file).slice(1);
        expect(cells).toEqual(rows.map((row) => row.map((cell) => formulaSafe(cell!))));
        expect(cells.flat().filter(isFormula)).toEqual([]);
        expect(splitOtherwise(file).filter(isFormula)).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });
});
