import { Box, Table, useMantineTheme, useComputedColorScheme, VisuallyHidden } from '@mantine/core';
import { BarController, BarElement, CategoryScale, Chart, Legend, LinearScale, Tooltip } from 'chart.js';
import type { ReactNode } from 'react';
import { Bar } from 'react-chartjs-2';
import { money, month as monthName, roundMoney } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Legend, Tooltip);

interface Props {
  currency: string;
  months: readonly { month: string; invoicedGross: string; paid: string }[];
}

/** A bar chart, with a table for screen readers. Bars may be rounded; their labels are exact. */
export default function MonthsChart({ currency, months }: Props): ReactNode {
  const { colors } = useMantineTheme();
  const dark = useComputedColorScheme('light') === 'dark';
  const textColor = dark ? colors.dark[1] : colors.gray[7];
  const gridColor = dark ? colors.dark[5] : colors.gray[2];
  const series = [
    {
      label: t('Invoiced'),
      valueOf: (row: Props['months'][number]) => row.invoicedGross,
      color: colors.indigo[dark ? 4 : 6],
    },
    { label: t('Paid'), valueOf: (row: Props['months'][number]) => row.paid, color: colors.teal[dark ? 5 : 6] },
  ];
  return (
    <>
      <Box h={280} aria-hidden>
        <Bar
          data={{
            labels: months.map(({ month }) => monthName(month)),
            datasets: series.map(({ label, valueOf, color }) => ({
              label,
              data: months.map((row) => Number(valueOf(row))),
              backgroundColor: color ?? '',
              borderRadius: 4,
              maxBarThickness: 28,
            })),
          }}
          options={{
            maintainAspectRatio: false,
            animation: false,
            interaction: { mode: 'index', intersect: false },
            scales: {
              x: { grid: { display: false }, ticks: { color: textColor ?? '', maxRotation: 0, autoSkipPadding: 12 } },
              y: {
                beginAtZero: true,
                border: { display: false },
                grid: { color: gridColor ?? '' },
                ticks: {
                  color: textColor ?? '',
                  maxTicksLimit: 6,
                  callback: (value) => roundMoney(Number(value), currency),
                },
              },
            },
            plugins: {
              legend: { position: 'bottom', labels: { color: textColor ?? '', boxWidth: 12, boxHeight: 12 } },
              tooltip: {
                callbacks: {
                  label: ({ dataset, datasetIndex, dataIndex }) => {
                    const row = months[dataIndex];
                    return row ? `${dataset.label}: ${money(series[datasetIndex]?.valueOf(row) ?? '0', currency)}` : '';
                  },
                },
              },
            },
          }}
        />
      </Box>
      <VisuallyHidden>
        <Table>
          <caption>{t('Invoiced and paid by month, in {currency}', { currency })}</caption>
          <thead>
            <tr>
              {[t('Month'), ...series.map(({ label }) => label)].map((header) => (
                <th key={header} scope="col">
                  {header}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {months.map((row) => (
              <tr key={row.month}>
                <th scope="row">{monthName(row.month)}</th>
                {series.map(({ label, valueOf }) => (
                  <td key={label}>{money(valueOf(row), currency)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </Table>
      </VisuallyHidden>
    </>
  );
}
