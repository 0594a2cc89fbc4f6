import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { date, decimal, money, percent } from '../../format/format.ts';
import { ResponsiveTable, type Column } from '../../list/responsive-table.tsx';
import type { Invoice } from './fields.ts';
import { t } from '../../i18n/t.ts';

/** A line of an invoice or of a credit note. */
type Line = Omit<Invoice['items'][number], 'unitCode'>;

/** The texts of a line beside its title and numbers. */
function getDetails(line: Line): string[] {
  const { servicePeriodStart: start, servicePeriodEnd: end, discountPercent, vatCategory } = line;
  const period = [...new Set([start, end])].flatMap((day) => day ?? []).map(date);
  return [
    line.description ?? '',
    discountPercent === '0' ? '' : t('Discount {percent}', { percent: percent(discountPercent) }),
    period.join(' – '),
    ['S', 'Z'].includes(vatCategory) ? '' : t('VAT category {category}', { category: vatCategory }),
    line.exemptionReason ?? '',
  ].filter(Boolean);
}

const getColumns = (currency: string): Column<Line>[] => [
  {
    header: t('Title'),
    lead: true,
    cell: (line) => (
      <>
        <span className="long">{line.title}</span>
        {getDetails(line).map((text) => (
          <Text key={text} size="sm" c="dimmed" fw={400} className="long" style={{ whiteSpace: 'pre-line' }}>
            {text}
          </Text>
        ))}
      </>
    ),
  },
  { header: t('Quantity'), align: 'right', cell: ({ quantity, unit }) => `${decimal(quantity)} ${unit ?? ''}` },
  { header: t('Unit price'), align: 'right', cell: ({ unitPriceNet }) => money(unitPriceNet, currency) },
  { header: t('VAT'), align: 'right', cell: ({ vatRate }) => percent(vatRate) },
  { header: t('Net'), align: 'right', cell: ({ lineTotalNet }) => money(lineTotalNet, currency) },
];

interface Props {
  lines: readonly Line[];
  currency: string;
}

/** The lines of an invoice or of a credit note. */
export const LineTable = ({ lines, currency }: Props): ReactNode => (
  <ResponsiveTable caption={t('Lines')} columns={getColumns(currency)} rows={lines} />
);
