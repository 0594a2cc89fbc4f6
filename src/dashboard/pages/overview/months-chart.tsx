import { Box, Table, useMantineTheme, useComputedColorScheme, VisuallyHidden } from '@mantine/core';
import { BarController, BarElement, CategoryScale, Chart, Legend, LinearScale, Tooltip } from 'chart.js';
import type { ReactNode } from 'react';
import { Bar } from 'react-chartjs-2';
import { money, month as monthName, roundMoney } from '../../format/format.ts';

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Legend, Tooltip);

interface Props {
  currency: string;
  months: readonly { month: string; invoicedGross: string; paid: string }[];
}

/** Bars for eyes, a table for screen readers. A bar's height may be rounded; its label isn't. */
export default function MonthsChart({ currency, months }: Props): ReactNode {
  const { colors } = useMantineTheme();
  const dark = useComputedColorScheme('light') === 'dark';
  const ink = dark ? colors.dark[1] : colors.gray[7];
  const lines = dark ? colors.dark[5] : colors.gray[2];
  const series = [
    { label: 'Invoiced', of: (row: Props['months'][number]) => row.invoicedGross, color: colors.indigo[dark ? 4 : 6] },
    { label: 'Paid', of: (row: Props['months'][number]) => row.paid, color: colors.teal[dark ? 5 : 6] },
  ];
  return (
    <>
      <Box h={280} aria-hidden>
        <Bar
          data={{
            labels: months.map(({ month }) => monthName(month)),
            datasets: series.map(({ label, of, color }) => ({
              label,
              data: months.map((row) => Number(of(row))),
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
              x: { grid: { display: false }, ticks: { color: ink ?? '', maxRotation: 0, autoSkipPadding: 12 } },
              y: {
                beginAtZero: true,
                border: { display: false },
                grid: { color: lines ?? '' },
                ticks: { color: ink ?? '', maxTicksLimit: 6, callback: (value) => roundMoney(Number(value), currency) },
              },
            },
            plugins: {
              legend: { position: 'bottom', labels: { color: ink ?? '', boxWidth: 12, boxHeight: 12 } },
              tooltip: {
                callbacks: {
                  label: ({ dataset, datasetIndex, dataIndex }) => {
                    const row = months[dataIndex];
                    return row ? `${dataset.label}: ${money(series[datasetIndex]?.of(row) ?? '0', currency)}` : '';
                  },
                },
              },
            },
          }}
        />
      </Box>
      <VisuallyHidden>
        <Table>
          <caption>Invoiced and paid by month, in {currency}</caption>
          <thead>
            <tr>
              {['Month', ...series.map(({ label }) => label)].map((header) => (
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
                {series.map(({ label, of }) => (
                  <td key={label}>{money(of(row), currency)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </Table>
      </VisuallyHidden>
    </>
  );
}
