import { Anchor, Button, Card, EmptyState, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { HomeIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { LoadError } from '../../errors/error-boundary.tsx';
import { Page } from '../../layout/page.tsx';
import { lastDay, minutes, money } from '../../format/format.ts';
import { graphql, type ResultOf } from '../../graphql.ts';
import { t } from '../../i18n/t.ts';
import { ExpectedIncome } from './expected-income.tsx';
import { ToDo } from './to-do.tsx';
import { MonthsChart, type ChartMonth } from './months-chart.tsx';

const OverviewQuery = graphql(`
  query Overview {
    overview {
      outstanding {
        currency
        amount
        count
      }
      overdue {
        currency
        amount
        count
      }
      paidThisMonth {
        currency
        amount
        count
      }
      unbilledMinutes
      months(last: 24) {
        month
        currency
        invoicedGross
        paid
      }
    }
    company {
      id
      addressLine1
      vatId
      taxNumber
      iban
    }
    customers(first: 1) {
      totalCount
    }
  }
`);

type OverviewData = ResultOf<typeof OverviewQuery>['overview'];
type Total = OverviewData['outstanding'][number];

export default function Overview(): ReactNode {
  const [{ data, error }, refetch] = useQuery({ query: OverviewQuery });
  return (
    <Page title={t('Overview')}>
      {data ? (
        <Stack gap="lg">
          {(data.customers.totalCount === 0 || !data.company) && (
            <FirstSteps hasCompany={isComplete(data.company)} hasCustomers={data.customers.totalCount > 0} />
          )}
          <ToDo />
          {data.customers.totalCount > 0 && (
            <>
              <Figures overview={data.overview} />
              <ExpectedIncome />
              <Months months={data.overview.months} />
            </>
          )}
        </Stack>
      ) : error ? (
        <LoadError error={error} refetch={refetch} />
      ) : (
        <Stack gap="lg" aria-busy>
          <Skeleton h={132} radius="md" />
          <Skeleton h={360} radius="md" />
        </Stack>
      )}
    </Page>
  );
}

function Figures({ overview }: { overview: OverviewData }): ReactNode {
  const { outstanding, overdue, paidThisMonth, unbilledMinutes, months } = overview;
  const isLong = [...outstanding, ...overdue, ...paidThisMonth].some(({ amount }) => amount.length > 10);
  return (
    <SimpleGrid
      component="ul"
      cols={{ base: isLong ? 1 : 2, sm: 2, lg: 4 }}
      spacing={{ base: 'xs', sm: 'md' }}
      p={0}
      m={0}
      style={{ listStyle: 'none' }}
    >
      <Figure name={t('Outstanding')} to="/invoices?status=ISSUED" value={<Money totals={outstanding} />}>
        {invoices(outstanding)}
      </Figure>
      <Figure
        name={t('Overdue')}
        to="/invoices?status=OVERDUE"
        value={<Money totals={overdue} />}
        color={overdue.length > 0 ? 'red' : undefined}
      >
        {invoices(overdue)}
      </Figure>
      <Figure
        name={t('Paid this month')}
        to={`/payments${getPeriod(months.at(-1)?.month)}`}
        value={<Money totals={paidThisMonth} />}
      >
        {payments(paidThisMonth)}
      </Figure>
      <Figure name={t('Hours not billed')} to="/time-entries?billing=UNBILLED" value={minutes(unbilledMinutes)}>
        {t('of billable time')}
      </Figure>
    </SimpleGrid>
  );
}

const computeSum = (totals: readonly Total[]): number => totals.reduce((sum, total) => sum + total.count, 0);
const invoices = (totals: readonly Total[]): string => t('{count} invoices', { count: computeSum(totals) });
const payments = (totals: readonly Total[]): string => t('{count} payments and refunds', { count: computeSum(totals) });

/** The filters of a list for the days of a month. */
const getPeriod = (month: string | undefined): string =>
  month === undefined ? '' : `?from=${month}-01&to=${lastDay(month)}`;

/** Amounts by currency. Amounts in different currencies can't be added. */
function Money({ totals }: { totals: readonly Total[] }): ReactNode {
  if (totals.length === 0) return '–';
  const texts = totals.map(({ currency, amount }) => money(amount, currency));
  // Long amounts are shown smaller, so that they fit a card on a phone.
  const longest = Math.max(...texts.map((text) => text.length));
  const size = longest > 19 ? 'sm' : longest > 14 ? 'md' : undefined;
  return texts.map((text) => (
    <Text key={text} className="figure" component="span" display="block" inherit {...(size && { fz: size })}>
      {text}
    </Text>
  ));
}

interface FigureProps {
  name: string;
  /** The list of the counted rows. */
  to: string;
  value: ReactNode;
  children: ReactNode;
  color?: string | undefined;
}

function Figure({ name, to, value, children, color }: FigureProps): ReactNode {
  return (
    <Card withBorder radius="md" component="li">
      <Anchor className="target" component={Link} to={to} size="sm">
        {name}
      </Anchor>
      <Text component="p" m={0} mt={4} size="xl" fw={650} className="numbers" {...(color && { c: color })}>
        {value}
      </Text>
      <Text size="sm" c="dimmed">
        {children}
      </Text>
    </Card>
  );
}

/** The last 12 of 24 months, each with what was invoiced in the same month of the year before. */
const compareYears = (months: OverviewData['months']): ChartMonth[] =>
  months.slice(12).map((row, at) => ({ ...row, yearBefore: months[at]?.invoicedGross ?? '0' }));

function Months({ months }: { months: OverviewData['months'] }): ReactNode {
  const byCurrency = Map.groupBy(months, ({ currency }) => currency);
  return [...byCurrency].map(([currency, rows]) => (
    <Card withBorder radius="md" key={currency}>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          {t('Invoiced and paid, {currency}', { currency })}
        </Title>
        <Text size="sm" c="dimmed">
          {t('The last 12 months')}
        </Text>
      </Group>
      <MonthsChart currency={currency} months={compareYears(rows)} />
    </Card>
  ));
}

/** Whether the company has what the law wants on an invoice, and an account to pay to. */
const isComplete = (company: ResultOf<typeof OverviewQuery>['company']): boolean =>
  Boolean(company?.addressLine1 && (company.vatId ?? company.taxNumber) && company.iban);

/** The company comes first: an invoice says who sells, for ever. */
function FirstSteps({ hasCompany, hasCustomers }: { hasCompany: boolean; hasCustomers: boolean }): ReactNode {
  return (
    <Card withBorder radius="md" p="xl">
      <EmptyState
        icon={<HomeIcon width={40} aria-hidden />}
        title={hasCustomers ? t('Your company is missing') : t('First steps')}
        description={
          hasCompany
            ? t(
                'Your company is set up. Add a customer, then write your first invoice. Upload a bank statement to see which invoices are paid.',
              )
            : t(
                'Begin with your company: invoices must have its address and its tax or VAT number, and say where to pay. Then add a customer, and write your first invoice.',
              )
        }
      >
        <Group justify="center">
          {!hasCompany && (
            <Button component={Link} to="/settings/company">
              {t('Set up your company')}
            </Button>
          )}
          {!hasCustomers && (
            <Button component={Link} to="/customers" variant={hasCompany ? 'filled' : 'default'}>
              {t('Add a customer')}
            </Button>
          )}
          <Button component={Link} to="/bank-transactions" variant="default">
            {t('Upload a bank statement')}
          </Button>
        </Group>
      </EmptyState>
    </Card>
  );
}
