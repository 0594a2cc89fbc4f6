import { escapeXml } from '../xml.ts';
import type { Column } from '../table.ts';

// The description of the tables for the tax office's software: index.xml, as the description standard ("Beschreibungsstandard für die
// Datenträgerüberlassung") has it.

export const dtdName = 'gdpdu-01-09-2004.dtd';

/**
 * The document type of index.xml. It declares the elements that index.xml has, with the order that the standard gives them; the
 * standard's own file declares more (fixed lengths, other encodings, commands) and can take its place.
 */
export const dtd = `<?xml version="1.0" encoding="UTF-8"?>
<!-- The elements of the description standard that this medium uses. -->
<!ELEMENT DataSet (Version, DataSupplier?, Media+)>
<!ELEMENT DataSupplier (Name, Location, Comment)>
<!ELEMENT Media (Name, Table+)>
<!ELEMENT Table (URL, Name?, Description?, Validity?, UTF8?, (DecimalSymbol, DigitGroupingSymbol)?, Range?, VariableLength)>
<!ELEMENT Validity (Range, Format?)>
<!ELEMENT Range (From, To?)>
<!ELEMENT VariableLength (ColumnDelimiter?, RecordDelimiter?, TextEncapsulator?, VariablePrimaryKey+, VariableColumn*, ForeignKey*)>
<!ELEMENT VariablePrimaryKey (Name, Description?, (Numeric | AlphaNumeric | Date))>
<!ELEMENT VariableColumn (Name, Description?, (Numeric | AlphaNumeric | Date))>
<!ELEMENT ForeignKey (Name+, References)>
<!ELEMENT Numeric (Accuracy?)>
<!ELEMENT AlphaNumeric EMPTY>
<!ELEMENT Date (Format?)>
<!ELEMENT UTF8 EMPTY>
<!ELEMENT Version (#PCDATA)>
<!ELEMENT Name (#PCDATA)>
<!ELEMENT Location (#PCDATA)>
<!ELEMENT Comment (#PCDATA)>
<!ELEMENT URL (#PCDATA)>
<!ELEMENT Description (#PCDATA)>
<!ELEMENT Format (#PCDATA)>
<!ELEMENT From (#PCDATA)>
<!ELEMENT To (#PCDATA)>
<!ELEMENT DecimalSymbol (#PCDATA)>
<!ELEMENT DigitGroupingSymbol (#PCDATA)>
<!ELEMENT ColumnDelimiter (#PCDATA)>
<!ELEMENT RecordDelimiter (#PCDATA)>
<!ELEMENT TextEncapsulator (#PCDATA)>
<!ELEMENT Accuracy (#PCDATA)>
<!ELEMENT References (#PCDATA)>
`;

export interface DescribedTable {
  /** Without its ending: also the table's name. */
  name: string;
  description: string;
  columns: readonly Column[];
  /** The columns that have the id of a row of another table. */
  refersTo: Readonly<Record<string, string>>;
}

interface Medium {
  supplier: string;
  location: string;
  from: string;
  to: string;
  tables: readonly DescribedTable[];
}

const tag = (name: string, content: string): string => `<${name}>${content}</${name}>`;
const textTag = (name: string, text: string): string => tag(name, escapeXml(text));

const dayFormat = textTag('Format', 'YYYY-MM-DD');

/** A day in the form that the standard gives to a validity. */
const german = (day: string): string => day.split('-').toReversed().join('.');

function describeType({ type, decimals }: Column): string {
  switch (type) {
    case 'number':
      return tag('Numeric', textTag('Accuracy', String(decimals)));
    case 'integer':
      return tag('Numeric', textTag('Accuracy', '0'));
    case 'day':
      return tag('Date', dayFormat);
    default:
      return '<AlphaNumeric/>'; // the standard has no times
  }
}

const describeColumn = (column: Column, isKey: boolean): string =>
  tag(isKey ? 'VariablePrimaryKey' : 'VariableColumn', textTag('Name', column.name) + describeType(column));

function describeTable({ name, description, columns, refersTo }: DescribedTable, { from, to }: Medium): string {
  const [key, ...others] = columns; // each table begins with its id
  const format = [
    textTag('ColumnDelimiter', ','),
    textTag('RecordDelimiter', '\r\n').replace('\n', '&#10;'),
    textTag('TextEncapsulator', '"'),
    key ? describeColumn(key, true) : '',
    ...others.map((column) => describeColumn(column, false)),
    ...Object.entries(refersTo).map(([column, table]) =>
      tag('ForeignKey', textTag('Name', column) + textTag('References', table)),
    ),
  ];
  return tag(
    'Table',
    [
      textTag('URL', `${name}.csv`),
      textTag('Name', name),
      textTag('Description', description),
      tag(
        'Validity',
        tag('Range', textTag('From', german(from)) + textTag('To', german(to))) + textTag('Format', 'DD.MM.YYYY'),
      ),
      '<UTF8/>',
      textTag('DecimalSymbol', '.'),
      textTag('DigitGroupingSymbol', ' '),
      tag('Range', textTag('From', '2')), // the first line has the names
      tag('VariableLength', format.join('\n')),
    ].join('\n'),
  );
}

export const describeMedium = (medium: Medium): string =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<!DOCTYPE DataSet SYSTEM "${dtdName}">`,
    '<DataSet>',
    textTag('Version', '1.0'),
    tag(
      'DataSupplier',
      textTag('Name', medium.supplier) +
        textTag('Location', medium.location) +
        textTag('Comment', `Kontor, ${medium.from} bis ${medium.to}`),
    ),
    '<Media>',
    textTag('Name', 'Kontor'),
    ...medium.tables.map((table) => describeTable(table, medium)),
    '</Media>',
    '</DataSet>',
    '',
  ].join('\n');
