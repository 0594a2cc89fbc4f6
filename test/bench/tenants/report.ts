/** A line of the table. */
export interface ReportRow {
  work: string;
  figures: Figure[];
}

export interface Figure {
  name: string;
  value: number;
  unit?: string;
}

export const figure = (name: string, value: number, unit?: string): Figure => ({
  name,
  value,
  ...(unit !== undefined && { unit }),
});

/** Median, p99, and worst, in milliseconds. */
export const latencyFigures = ({ median, p99, worst }: { median: number; p99: number; worst: number }): Figure[] => [
  figure('median', median, 'ms'),
  figure('p99', p99, 'ms'),
  figure('worst', worst, 'ms'),
];

/** Markdown, as BENCHMARKS.md has it. */
export const toMarkdown = (rows: ReportRow[]): string =>
  [['work', 'measured'], ['---', '---'], ...rows.map(({ work, figures }) => [work, figures.map(toText).join(', ')])]
    .map((cells) => `|${cells.map((cell) => (cell === '---' ? cell : ` ${cell} `)).join('|')}|\n`)
    .join('');

const format = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

const toText = ({ name, value, unit }: Figure): string =>
  `${name} ${value >= 1000 ? Math.round(value).toLocaleString('en') : format.format(value)}${unit === undefined ? '' : ` ${unit}`}`;
