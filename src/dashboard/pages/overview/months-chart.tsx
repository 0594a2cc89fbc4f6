import { Group, Text, Tooltip, VisuallyHidden } from '@mantine/core';
import type { CSSProperties, ReactNode } from 'react';
import { Link } from 'wouter';
import { money, month as monthName, roundMoney, shortMonth } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';
import { buildScale, getShare, type Scale } from './scale.ts';

/** The amounts of a month, and what was invoiced in the same month of the year before. */
export interface ChartMonth {
  month: string;
  invoicedGross: string;
  paid: string;
  yearBefore: string;
}

interface Props {
  currency: string;
  months: readonly ChartMonth[];
}

/** Two bars for each month. A month is a link to its documents. Bars may be rounded; the texts are exact. */
export function MonthsChart({ currency, months }: Props): ReactNode {
  const scale = buildScale(months.flatMap(({ invoicedGross, paid, yearBefore }) => [invoicedGross, paid, yearBefore]));
  return (
    <>
      <div className="chart">
        <div className="chart-grid" aria-hidden>
          {scale.ticks.map((tick) => (
            <Text key={tick} component="span" size="xs" c="dimmed" style={{ bottom: `${getShare(tick, scale)}%` }}>
              {roundMoney(tick, currency)}
            </Text>
          ))}
        </div>
        <ol className="chart-months">
          {months.map((row) => (
            <Month key={row.month} row={row} currency={currency} scale={scale} />
          ))}
        </ol>
      </div>
      <Group gap="md" justify="center" mt="xs" aria-hidden>
        {[
          ['invoiced', t('Invoiced')],
          ['paid', t('Paid')],
          ['year-before', t('Invoiced a year before')],
        ].map(([name, text]) => (
          <Text key={name} size="xs" c="dimmed" className={`chart-key chart-${name}`}>
            {text}
          </Text>
        ))}
      </Group>
    </>
  );
}

interface MonthProps {
  row: ChartMonth;
  currency: string;
  scale: Scale;
}

function Month({ row, currency, scale }: MonthProps): ReactNode {
  const { month, invoicedGross, paid, yearBefore } = row;
  const lines = [
    t('Invoiced: {amount}', { amount: money(invoicedGross, currency) }),
    t('Paid: {amount}', { amount: money(paid, currency) }),
    t('Invoiced a year before: {amount}', { amount: money(yearBefore, currency) }),
  ];
  return (
    <li>
      <Tooltip
        label={
          <>
            {[monthName(month), ...lines].map((line) => (
              <div key={line}>{line}</div>
            ))}
          </>
        }
      >
        <Link to={`/invoiced?month=${month}&currency=${currency}`}>
          <VisuallyHidden>{[monthName(month), ...lines].join(', ')}</VisuallyHidden>
          <span className="chart-bars">
            <span className="chart-bar chart-invoiced" style={place(invoicedGross, scale)} />
            <span className="chart-bar chart-paid" style={place(paid, scale)} />
            {Number(yearBefore) !== 0 && (
              <span
                className="chart-line chart-year-before"
                style={{ bottom: `${getShare(Number(yearBefore), scale)}%` }}
              />
            )}
          </span>
          <Text component="span" size="xs" c="dimmed" aria-hidden>
            {shortMonth(month)}
          </Text>
        </Link>
      </Tooltip>
    </li>
  );
}

/** A bar from zero to its value, which may be negative: a month may have more credit notes than invoices. */
function place(amount: string, scale: Scale): CSSProperties {
  const [value, zero] = [getShare(Number(amount), scale), getShare(0, scale)];
  return { bottom: `${Math.min(value, zero)}%`, height: `${Math.abs(value - zero)}%` };
}
