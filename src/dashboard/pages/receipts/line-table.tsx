import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { count, money, percent } from '../../format/format.ts';
import { ResponsiveTable, type Column } from '../../list/responsive-table.tsx';
import type { Receipt } from './fields.ts';
import { t } from '../../i18n/t.ts';

type Line = Receipt['lines'][number] & { id: string };

/** The details of a line beside its description and amounts. */
const getDetails = ({ account, vatCategory, deductiblePercent }: Line): string[] =>
  [
    account === null ? '' : t('Account {number}', { number: account }),
    ['S', 'Z'].includes(vatCategory) ? '' : t('VAT category {code}', { code: vatCategory }),
    deductiblePercent === '100' ? '' : t('Deductible {percent}', { percent: percent(deductiblePercent) }),
  ].filter(Boolean);

const getColumns = (currency: string): Column<Line>[] => [
  {
    header: t('Description'),
    lead: true,
    cell: (line) => (
      <>
        <span className="long">{line.description ?? t('Line {number}', { number: count(line.position) })}</span>
        {getDetails(line).map((text) => (
          <Text key={text} size="sm" c="dimmed" fw={400} className="long">
            {text}
          </Text>
        ))}
      </>
    ),
  },
  { header: t('Net'), align: 'right', cell: ({ amountNet }) => money(amountNet, currency) },
  { header: t('Rate'), align: 'right', cell: ({ vatRate }) => percent(vatRate) },
  { header: t('VAT'), align: 'right', cell: ({ vatAmount }) => money(vatAmount, currency) },
  { header: t('Gross'), align: 'right', cell: ({ amountGross }) => money(amountGross, currency) },
];

/** The lines of a receipt. */
export const LineTable = ({ lines, currency }: Pick<Receipt, 'lines' | 'currency'>): ReactNode => (
  <ResponsiveTable
    caption={t('Lines')}
    columns={getColumns(currency)}
    rows={lines.map((line) => ({ ...line, id: String(line.position) }))}
  />
);
