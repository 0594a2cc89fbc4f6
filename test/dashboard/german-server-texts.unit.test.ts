import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import germanTexts from '../../src/dashboard/i18n/de.json' with { type: 'json' };

const script = fileURLToPath(new URL('german-texts.ts', import.meta.url));

const readAll = (paths: string[]): string =>
  paths
    .map((path) => new URL(`../../${path}/`, import.meta.url))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => readFileSync(new URL(file, folder), 'utf8')),
    )
    .join('\n');

type Translated = [english: string, german: string];

/** The service's sentences about jobs and statements, and those that German pages show instead. */
const sentences: Translated[] = [
  ['Its token lacks the ability invoices:read.', 'Dem Token fehlt die Berechtigung invoices:read.'],
  ['The one who started it has no access any more.', 'Wer ihn gestartet hat, hat keinen Zugriff mehr.'],
  ['The period has no day.', 'Der Zeitraum enthält keinen Tag.'],
  ['The amount of 2026-0001 is too large for DATEV.', 'Der Betrag von 2026-0001 ist zu groß für DATEV.'],
  [
    'There are more than 30000 customers: DATEV has no more numbers for them.',
    'Es sind mehr als 30000 Kunden. DATEV hat keine weiteren Nummern für sie.',
  ],
  [
    'Line 3, statement 1, entry 2 has a status of the bank\'s own, "FUTR", and was left out.',
    'Zeile 3, Auszug 1, Umsatz 2 hat einen Status, den nur die Bank kennt ("FUTR"), und wurde ausgelassen.',
  ],
  ['Statement 1 opens in EUR and closes in USD.', 'Auszug 1 beginnt in EUR und endet in USD.'],
  [
    "Statement 1 doesn't add up: 100 and entries of 19.5 don't make 200 EUR.",
    'Auszug 1 geht nicht auf: 100,00\u00A0€ und Umsätze von 19,50\u00A0€ ergeben nicht 200,00\u00A0€.',
  ],
  ['Line 4, statement 1, balance OPBD: this has no amount (Amt).', 'Zeile 4, Auszug 1, Saldo OPBD: Der Betrag fehlt.'],
  ['There are 7 more warnings like these.', '7 weitere solche Hinweise'],
];

type Problem = { code: string; message: string; params: Record<string, unknown> };

/** Problems of fields, of which a German page says what to do. */
const problems: [Problem, german: string][] = [
  [
    {
      code: 'invalid_format',
      message: 'Must be an IBAN: its length or its check digits are wrong.',
      params: { format: 'iban' },
    },
    'Das ist keine IBAN: Länge oder Prüfziffern stimmen nicht.',
  ],
  [
    { code: 'out_of_range', message: 'Must be from 0 to 1000.5.', params: { min: 0, max: 1000.5 } },
    'Geben Sie eine Zahl von 0 bis 1.000,5 ein.',
  ],
  [
    { code: 'out_of_range', message: 'Must be at least 0.01.', params: { min: 0.01 } },
    'Geben Sie mindestens 0,01 ein.',
  ],
  ...(
    [
      ['This file is empty.', 'Diese Datei ist leer.'],
      [
        'This file is XML, but no CAMT.053 statement: its root element is "a", not "Document".',
        'Diese XML-Datei ist kein Kontoauszug im Format CAMT.053.',
      ],
      ['Line 3: this date isn\'t YYYY-MM-DD: "3.1.26".', 'Zeile 3: Das Datum "3.1.26" hat nicht die Form YYYY-MM-DD.'],
      ['Line 4: this date is no calendar day: "31.02.2026".', 'Zeile 4: "31.02.2026" ist kein Kalendertag.'],
      ['Line 5: this row has both a debit and a credit.', 'Zeile 5: Der Betrag ist nicht lesbar.'],
      ['Line 6, entry 2: this entry has no currency.', 'Zeile 6, Umsatz 2: Das ist nicht lesbar.'],
      ['This file is new.', 'Diese Datei kann nicht verwendet werden.'],
    ] as const
  ).map(([message, said]): [Problem, string] => [{ code: 'invalid_file', message, params: {} }, said]),
  [{ code: 'invalid_format', message: 'Must be new.', params: {} }, 'Das hat nicht die erforderliche Form.'],
];

let texts: { problems: string[]; sentences: string[]; warnings: string[]; laws: Translated[]; rules: Translated[] };
beforeAll(async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    script,
    JSON.stringify(sentences.map(([english]) => english)),
    JSON.stringify(problems.map(([problem]) => problem)),
  ]);
  texts = JSON.parse(stdout) as typeof texts;
});

it('every warning of an invoice has a German text', () => {
  expect(texts.warnings.length).toBeGreaterThan(50);
  const isEnglish = /\b(the|has|needs|must|of|No\.|Directive)\b|\(\d+\)/i;
  expect(texts.warnings).not.toContainEqual(expect.stringMatching(isEnglish));
});

it('every law of a checklist has a German name', () => {
  expect(texts.laws.length).toBeGreaterThan(25);
  expect(texts.laws.filter(([english, german]) => german === english)).toEqual([]);
});

it('every rule of e-invoices has a German text', () => {
  expect(texts.rules.length).toBeGreaterThan(50);
  expect(texts.rules.filter(([english, german]) => german === english)).toEqual([]);
});

it('what the service says of jobs and statements has a German text', () => {
  expect(texts.sentences).toEqual(sentences.map(([, german]) => german));
});

it('a problem of a field says what to enter, in German as in English', () => {
  expect(texts.problems).toEqual(problems.map(([, german]) => german));
});

it('the service has the sentences of problems that German has', () => {
  const source = readAll(['schema', 'src/identity', 'src/server']);
  const known = Object.keys(germanTexts).flatMap(
    (key) => /^api: ((?:Must|There is|This (?!file)|Only) .*\.)$/.exec(key)?.[1] ?? [],
  );
  expect(known.length).toBeGreaterThan(10);
  expect(known.filter((message) => !source.includes(message))).toEqual([]);
});

it('the service has these sentences', () => {
  const source = readAll(['schema/exports', 'schema/bank-statements', 'src/jobs']);
  for (const words of [
    'Its token lacks the ability ${',
    'The one who started it has no access any more.',
    'The period has no day.',
    ' is too large for DATEV.',
    's: DATEV has no more numbers for them.',
    'DATEV has amounts of two decimals, and ${number} is in a currency of more.',
    " has a status of the bank's own, ${quote(own)}, and was left out.",
    " details that don't make its ",
    ': it was kept as one transaction.',
    ' opens in ${currencies[0]} and closes in ${',
    " doesn't add up: ${opening.amount.toFixed()} and entries of ${sum.toFixed()} ",
    "don't make ${closing",
    'has no amount (Amt)',
    "date isn't ${format}: ${quote(text)}",
    'date is no calendar day: ${quote(sent)}',
    'row has both a debit and a credit',
    'is XML, but no CAMT.053 statement',
    'is empty',
    'is a ZIP archive; import the files in it',
    'is a PDF; ask the bank for CAMT.053, MT940 or CSV',
    'is a CAMT.053, but holds no statement (Stmt)',
    'There is 1 more warning like these.',
    ' more warnings like these.',
  ])
    expect(source).toContain(words);
});
