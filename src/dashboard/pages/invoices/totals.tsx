import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { money, percent } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';

interface Props {
  totals:
    | {
        totalNet: string;
        totalVat: string;
        totalGross: string;
        vatBreakdown: readonly { vatRate: string; net: string; vat: string }[];
      }
    | undefined;
  currency: string;
  children?: ReactNode;
}

/** The totals of an invoice, with VAT by rate. Shows dashes while they are unknown. */
export function Totals({ totals, currency, children }: Props): ReactNode {
  const format = (amount: string | undefined): string => (amount === undefined ? '–' : money(amount, currency));
  return (
    <Table
      className="numbers totals"
      role="table"
      layout="auto"
      maw={420}
      horizontalSpacing="md"
      ml="auto"
      withRowBorders={false}
      aria-label={t('Totals')}
    >
      <Table.Tbody role="rowgroup">
        <Row name={t('Net')} value={format(totals?.totalNet)} />
        {totals?.vatBreakdown.map(({ vatRate, net, vat }) => (
          <Row
            key={vatRate}
            name={t('VAT {percent} on {amount}', { percent: percent(vatRate), amount: money(net, currency) })}
            value={money(vat, currency)}
          />
        ))}
        <Row name={t('Total')} value={format(totals?.totalGross)} strong />
        {children}
      </Table.Tbody>
    </Table>
  );
}

export function Row({ name, value, strong }: { name: ReactNode; value: ReactNode; strong?: boolean }): ReactNode {
  return (
    <Table.Tr role="row" {...(strong && { fw: 700 })}>
      <Table.Th scope="row" role="rowheader" fw="inherit">
        {name}
      </Table.Th>
      <Table.Td ta="right" role="cell" className="figure">
        {value}
      </Table.Td>
    </Table.Tr>
  );
}
