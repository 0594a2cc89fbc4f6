import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { money } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { t } from '../../i18n/t.ts';

const AvailableCreditQuery = graphql(`
  query AvailableCredit($id: UUID!) {
    customer(id: $id) {
      id
      creditBalances {
        currency
        amount
      }
    }
  }
`);

interface Props {
  customerId: string;
  /** The invoice's: credit in another one can't pay it. */
  currency: string;
}

/** The customer's credit, which can pay the rest of an invoice. Nothing is shown where the customer has none. */
export function AvailableCredit({ customerId, currency }: Props): ReactNode {
  const [{ data }] = useQuery({
    query: AvailableCreditQuery,
    variables: { id: customerId },
    requestPolicy: 'cache-and-network',
  });
  const balance = data?.customer?.creditBalances.find((each) => each.currency === currency);
  if (!balance) return null;
  return (
    <Text size="sm" w="100%" role="status">
      {t('The customer has a credit of {amount}. The rest can be paid with it.', {
        amount: money(balance.amount, currency),
      })}
    </Text>
  );
}
