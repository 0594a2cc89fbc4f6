import { problemCodes } from '../../schema/errors/problem-codes.ts';
import { formatTable } from './tables.ts';

interface Row {
  explanation: string;
  params?: Readonly<Record<string, readonly [type: string, meaning: string, presence?: 'optional']>>;
}

const types: Record<string, string> = { number: 'a number', text: 'a text', texts: 'a list of texts' };

const describeParams = ({ params = {} }: Row): string =>
  Object.entries(params)
    .map(([name, [type, meaning, presence]]) => {
      const optional = presence ? ', not always there' : '';
      return `\`${name}\`: ${meaning} (${types[type]}${optional})`;
    })
    .join('<br>');

/** The page /docs/error-codes, as Markdown: what each code of a wrong field means. */
export function buildErrorCodes(): string {
  const rows = Object.entries<Row>(problemCodes).map(([code, row]) => [
    `\`${code}\``,
    row.explanation,
    describeParams(row),
  ]);
  return [
    '# Codes of errors',
    'What is wrong with a field, in `details` of [an answer 422](/docs/errors), or of a GraphQL error’s `extensions`. More codes may come: treat one that you don’t know as that of a field which is not valid.',
    formatTable(['`code`', 'means', '`params`'], rows),
  ].join('\n\n');
}
