import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { SaxesParser } from 'saxes';
import type { CodeList } from '../../schema/codes/code-lists.ts';

// Adds an edition to a code list of schema/codes/lists/, or replaces it, from a file of whoever keeps the list:
//
//   npm run codes -- peppol-address-schemes --version 3.0.21 --published 2026-05-20 --from 2026-08-24 FILE
//
// Without --from, it is the first edition.

/** A code list, and its place in a Schematron file, an XML schema, or Factur-X's file of code lists. */
const sources: Record<string, { title: string; assertion?: string; variable?: string; type?: string; list?: string }> =
  {
    'en-address-schemes': { title: 'Schemes of electronic addresses in EN 16931: EAS', assertion: 'BR-CL-25' },
    'en-registration-schemes': { title: 'Schemes of registration numbers in EN 16931: ICD', assertion: 'BR-CL-11' },
    'en-currencies': { title: 'Currencies in EN 16931', assertion: 'BR-CL-04' },
    'en-units': { title: 'Units in EN 16931: UN/ECE Recommendations 20 and 21', assertion: 'BR-CL-23' },
    'cii-countries': { title: 'Countries in EN 16931, syntax CII', assertion: 'BR-CL-14' },
    'ubl-countries': { title: 'Countries in EN 16931, syntax UBL', assertion: 'BR-CL-14' },
    'cii-schema-currencies': {
      title: 'Currencies in the XML schema of CII D16B',
      type: 'ISO3AlphaCurrencyCodeContentType',
    },
    // The number that the list has in Factur-X 1.09.
    'factur-x-address-schemes': { title: 'Schemes of electronic addresses in Factur-X', list: '17' },
    'peppol-address-schemes': { title: 'Schemes of electronic addresses in Peppol BIS Billing', variable: 'eaid' },
    'peppol-currencies': { title: 'Currencies in Peppol BIS Billing', variable: 'ISO4217' },
  };

/** The texts in quotation marks of an XPath expression, as words. */
const quotedWords = (expression: string): string[] =>
  [...expression.matchAll(/'([^']*)'/g)]
    .flatMap(([, text = '']) => text.split(/\s+/))
    .filter((word) => /^\w+$/.test(word));

function codesIn(xml: string, { assertion, variable, type, list }: (typeof sources)[string]): string[] {
  const codes = new Set<string>();
  let currentType: string | undefined;
  const parser = new SaxesParser();
  parser.on('opentag', ({ name, attributes }) => {
    const { id, test, value, name: named } = attributes as Record<string, string>;
    const local = name.replace(/^.*:/, '');
    if (local === 'simpleType') currentType = named;
    if (local === 'cl') currentType = id;
    const found =
      local === 'assert' && id === assertion
        ? quotedWords(test ?? '')
        : local === 'let' && named === variable
          ? quotedWords(value ?? '')
          : local === 'enumeration' && (type ?? list) !== undefined && currentType === (type ?? list)
            ? [value ?? '']
            : [];
    for (const code of found) codes.add(code);
  });
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(xml).close();
  return [...codes].toSorted();
}

/** In lines of at most 110 characters. */
function inLines(codes: string[]): string[] {
  const lines: string[] = [];
  for (const code of codes) {
    const last = lines.at(-1);
    if (last === undefined || last.length + code.length >= 110) lines.push(code);
    else lines[lines.length - 1] = `${last} ${code}`;
  }
  return lines;
}

const text = { type: 'string' } as const;
const { values, positionals } = parseArgs({
  options: { version: text, published: text, from: text },
  allowPositionals: true,
});
const [name = '', file = ''] = positionals;
const { version, published, from = null } = values;
const source = sources[name];
if (!source || !version || !published || !file)
  throw new Error(`Give --version, --published, a file, and one of ${Object.keys(sources).toSorted().join(', ')}`);
const codes = codesIn(await readFile(file, 'utf8'), source);
if (codes.length === 0) throw new Error(`${file} does not have the list`);

const path = join(import.meta.dirname, '../../schema/codes/lists', `${name}.json`);
const stored = await readFile(path, 'utf8').then(
  (json) => JSON.parse(json) as CodeList,
  () => ({ editions: [] }),
);
const editions = [
  ...stored.editions.filter((edition) => edition.version !== version),
  { version, published, from, source: basename(file), codes: inLines(codes) },
].toSorted((a, b) => ((a.from ?? '') < (b.from ?? '') ? -1 : 1));
await writeFile(path, `${JSON.stringify({ title: source.title, editions }, null, 2)}\n`);
process.stdout.write(`${name}: ${codes.length} codes of edition ${version}\n`);
