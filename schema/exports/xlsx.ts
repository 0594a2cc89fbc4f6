import { inParts, readEach } from './in-parts.ts';
import { escapeXml } from './xml.ts';
import type { Cells, CellType, Column } from './table.ts';
import { zipChunks } from './zip.ts';

// A spreadsheet (ECMA-376, Office Open XML), written row by row. The kept libraries either hold the whole sheet in memory, or stream by
// dependencies with known vulnerabilities. Texts are inline strings, which are never formulas.

/** The most rows of a sheet, of which the first has the names, and characters of a cell, that Excel has. */
const maxSheetRows = 1_048_576;
const maxCellLength = 32_767;

/** Excel's numbers have 15 digits. Longer ones stay texts, and exact. */
const maxNumberDigits = 15;

/** The numbers of the styles in `styles`. */
const styleNumbers: Partial<Record<CellType, number>> = { day: 1, time: 2 };

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageNames = 'http://schemas.openxmlformats.org/package/2006';
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

const styles = `${declaration}<styleSheet xmlns="${main}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="165" applyNumberFormat="1"/></cellXfs></styleSheet>`;

/**
 * A table as a spreadsheet: a sheet, or several where one has no room for all rows.
 * @param most the most rows of a sheet
 */
export const xlsxChunks = (
  columns: readonly Pick<Column, 'name' | 'type'>[],
  pages: AsyncIterable<readonly Cells[]>,
  most = maxSheetRows,
): AsyncIterable<Uint8Array> =>
  zipChunks(async (zip) => {
    const numbers: number[] = [];
    for await (const rows of inParts(readEach(pages), most - 1)) {
      numbers.push(numbers.length + 1);
      await zip.add(`xl/worksheets/sheet${numbers.length}.xml`, sheetChunks(columns, rows));
    }
    for (const [name, content] of Object.entries(buildParts(numbers))) zip.addBytes(name, content);
  });

/** So many characters are written at a time. */
const chunkLength = 64 * 1024;

async function* sheetChunks(
  columns: readonly Pick<Column, 'name' | 'type'>[],
  rows: AsyncIterable<Cells>,
): AsyncGenerator<Buffer> {
  let text = `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`;
  text += rowXml(
    columns.map(({ name }) => name),
    [],
  );
  for await (const row of rows) {
    text += rowXml(row, columns);
    if (text.length < chunkLength) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(`${text}</sheetData></worksheet>`);
}

const rowXml = (cells: Cells, columns: readonly Pick<Column, 'type'>[]): string =>
  `<row>${cells.map((cell, at) => cellXml(cell, columns[at]?.type ?? 'text')).join('')}</row>`;

function cellXml(cell: string | null, type: CellType): string {
  if (cell === null) return '<c/>';
  const value = numericValue(cell, type);
  if (value !== undefined) {
    const style = styleNumbers[type];
    return style === undefined ? `<c><v>${value}</v></c>` : `<c s="${style}"><v>${value}</v></c>`;
  }
  if (type === 'boolean') return `<c t="b"><v>${cell === 'true' ? 1 : 0}</v></c>`;
  return `<c t="inlineStr"><is><t xml:space="preserve">${escapeXml(escapeUnderscores(shorten(cell)))}</t></is></c>`;
}

/** The number that Excel has for a cell; undefined for one that stays a text. */
function numericValue(cell: string, type: CellType): string | undefined {
  switch (type) {
    case 'number':
    case 'integer':
      return cell.replaceAll(/\D/g, '').length <= maxNumberDigits ? cell : undefined;
    case 'day':
    case 'time': {
      const days = (Date.parse(cell) - epoch) / 86_400_000;
      return days >= firstRightDay ? String(days) : undefined; // NaN isn't
    }
    default:
      return undefined;
  }
}

/** Excel counts days from here. It takes 1900 for a leap year, so that days before March of that year are other ones. */
const epoch = Date.UTC(1899, 11, 30);
const firstRightDay = 61;

const shorten = (text: string): string =>
  text.length <= maxCellLength ? text : `${text.slice(0, maxCellLength - 1).toWellFormed()}…`;

/** `_x0041_` would be read as an escaped character (ECMA-376-1, 22.9.2.19). */
const escapeUnderscores = (text: string): string => text.replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_');

function buildParts(sheets: readonly number[]): Record<string, string> {
  const types = sheets.map(
    (number) =>
      `<Override PartName="/xl/worksheets/sheet${number}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>`,
  );
  const links = sheets.map(
    (number) =>
      `<Relationship Id="rId${number}" Type="${relationships}/worksheet" Target="worksheets/sheet${number}.xml"/>`,
  );
  const names = sheets.map((number) => `<sheet name="${number}" sheetId="${number}" r:id="rId${number}"/>`);
  return {
    'xl/styles.xml': styles,
    'xl/workbook.xml': `${declaration}<workbook xmlns="${main}" xmlns:r="${relationships}"><sheets>${names.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${declaration}<Relationships xmlns="${packageNames}/relationships">${links.join('')}<Relationship Id="rIdStyles" Type="${relationships}/styles" Target="styles.xml"/></Relationships>`,
    '_rels/.rels': `${declaration}<Relationships xmlns="${packageNames}/relationships"><Relationship Id="rId1" Type="${relationships}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    '[Content_Types].xml': `${declaration}<Types xmlns="${packageNames}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/>${types.join('')}</Types>`,
  };
}
