import { Button, Card, Group, Stack, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useEffect, useRef, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../../graphql.ts';
import { decimalField } from '../../../forms/form-values.ts';
import { usualCategories, vatCategories, type InvoiceValues } from './invoice-values.ts';
import { t } from '../../../i18n/t.ts';

export const VatProposals = graphql(`
  query VatProposals($customerId: UUID!) {
    vatProposals(customerId: $customerId) {
      supply
      vatCategory
      vatRate
      exemptionReason
    }
  }
`);

type Proposal = NonNullable<ResultOf<typeof VatProposals>['vatProposals']>[number];

/** The form values of a line's VAT. */
type LineVat = Pick<InvoiceValues['items'][number], 'vatRate' | 'vatCategory' | 'exemptionReason'>;

const lineVat = ({ vatRate, vatCategory, exemptionReason }: Proposal): LineVat => ({
  vatRate: vatRate === null ? '' : decimalField(vatRate),
  vatCategory: usualCategories.has(vatCategory) ? null : vatCategory,
  exemptionReason: exemptionReason ?? '',
});

const isSame = (a: LineVat, b: LineVat): boolean =>
  a.vatRate === b.vatRate && a.vatCategory === b.vatCategory && a.exemptionReason === b.exemptionReason;

const empty: LineVat = { vatRate: '', vatCategory: null, exemptionReason: '' };

const supplies: Record<Proposal['supply'], string> = { SERVICES: t('Services'), GOODS: t('Goods') };

/** `AE · Reverse charge` */
export const categoryLabel = (category: string): string =>
  vatCategories.find(({ value }) => value === category)?.label ?? category;

interface Props {
  form: UseFormReturnType<InvoiceValues>;
  /** The values that nobody has typed. */
  initial: InvoiceValues;
}

/**
 * Proposes the VAT of the whole invoice, by the customer's country and VAT number. Lines whose VAT nobody has typed have
 * it at once.
 */
export function VatProposal({ form, initial }: Props): ReactNode {
  const { customerId, items } = form.values;
  const [{ data, stale }] = useQuery({
    query: VatProposals,
    variables: { customerId: customerId ?? '' },
    pause: !customerId,
    requestPolicy: 'cache-and-network',
  });
  const proposals = customerId && !stale ? data?.vatProposals : undefined;
  const [services] = proposals ?? [];
  /** The VAT that was filled in, and not chosen. A new invoice's line has the company's usual rate. */
  const [first] = initial.items;
  const filledIn = useRef<LineVat>({ ...empty, vatRate: first?.title === '' ? first.vatRate : '' });
  const proposed = services && JSON.stringify(lineVat(services));
  useEffect(() => {
    if (proposed === undefined) return;
    const vat = JSON.parse(proposed) as LineVat;
    const lines = form.getValues().items;
    const isUntouched = (line: LineVat): boolean => isSame(line, empty) || isSame(line, filledIn.current);
    if (lines.some((line) => isUntouched(line) && !isSame(line, vat)))
      form.setFieldValue(
        'items',
        lines.map((line) => (isUntouched(line) ? { ...line, ...vat } : line)),
      );
    filledIn.current = vat;
    // Only another proposal changes the lines: not what is typed meanwhile.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [proposed]);

  if (!services || usualCategories.has(services.vatCategory)) return null;
  const use = (vat: LineVat): void =>
    form.setFieldValue(
      'items',
      form.getValues().items.map((line) => ({ ...line, ...vat })),
    );
  return (
    <Card withBorder radius="md" component="section" aria-label={t('VAT of the whole invoice')}>
      <Stack gap="xs">
        <Text fw={600}>{t('VAT of the whole invoice')}</Text>
        <Text size="sm">{t('For this customer, VAT is usually not charged. It depends on what you sell:')}</Text>
        <Group gap="xs">
          {proposals?.map((proposal) => {
            const vat = lineVat(proposal);
            const isUsed = items.every((line) => isSame(line, vat));
            return (
              <Button
                key={proposal.supply}
                variant={isUsed ? 'light' : 'default'}
                aria-pressed={isUsed}
                onClick={() => use(vat)}
                h="auto"
                mih={36}
                styles={{ label: { whiteSpace: 'normal' } }}
              >
                {supplies[proposal.supply]}: {categoryLabel(proposal.vatCategory)}
              </Button>
            );
          })}
        </Group>
      </Stack>
    </Card>
  );
}
