import { Box, Button, Group, List, SimpleGrid, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { CheckCircleIcon, CheckIcon, ExclamationTriangleIcon, EyeIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useClient, useQuery } from 'urql';
import { Dialog } from '../../components/dialog.tsx';
import { LoadError } from '../../errors/error-boundary.tsx';
import { graphql, type ResultOf } from '../../graphql.ts';
import { t, translate } from '../../i18n/t.ts';
import { openPdf } from '../documents/documents.tsx';
import { PdfFrame, showsPdfs } from '../documents/pdf-frame.tsx';
import { PdfQuery, PreflightQuery, RequiredEInvoice } from './documents.tsx';
import type { Invoice } from './fields.ts';
import { translateWarning } from './warning-texts.ts';
import { Mend } from './warnings.tsx';

const ChecklistQuery = graphql(`
  query InvoiceChecklist($id: UUID!) {
    invoice(id: $id) {
      id
      checklist {
        code
        law
        warnings {
          field
          message
        }
      }
    }
  }
`);

type Check = NonNullable<ResultOf<typeof ChecklistQuery>['invoice']>['checklist'][number];

const titles: Record<Check['code'], string> = {
  SELLER_ADDRESS: t('Name and address of your company'),
  BUYER_ADDRESS: t('Name and address of the customer'),
  SELLER_TAX_NUMBER: t('VAT number or tax number of your company'),
  BUYER_VAT_ID: t('VAT number of the customer'),
  INVOICE_DATE: t('Invoice date'),
  NUMBER: t('Consecutive number, which it gets now'),
  ITEMS: t('Quantity and kind of what is supplied'),
  SERVICE_DATE: t('Date of supply'),
  AMOUNTS: t('Net amounts, VAT rates, and VAT'),
  EXEMPTION_REASON: t('Reason why no VAT is charged'),
  VAT_CATEGORY: t('VAT that goes with both countries'),
  EXCHANGE_RATE: t('Exchange rate, by which VAT is stated in your currency'),
  DATE_ORDER: t('Date that is not before that of the last issued invoice'),
  BANK_ACCOUNT: t('Bank account to pay to'),
  LANGUAGE: t('Language of the document'),
};

interface Props {
  invoice: Invoice;
  opened: boolean;
  onClose: () => void;
  onIssue: () => void;
}

/** The dialog before a draft is issued: the law's requirements, and a preview of the invoice. */
export function IssueDialog({ opened, ...props }: Props): ReactNode {
  const isWide = useMediaQuery('(min-width: 62em)', false, { getInitialValueInEffect: false });
  const withPdf = isWide && showsPdfs;
  return (
    <Dialog title={t('Issue the invoice?')} opened={opened} onClose={props.onClose} size={withPdf ? '72rem' : '44rem'}>
      <Content withPdf={withPdf} {...props} />
    </Dialog>
  );
}

interface ContentProps extends Omit<Props, 'opened'> {
  /** Whether the PDF has room beside the list. */
  withPdf: boolean;
}

function Content({ invoice, onClose, onIssue, withPdf }: ContentProps): ReactNode {
  const { id, version, customer } = invoice;
  // A missing detail may have been added since, on another page or by somebody else.
  const requestPolicy = 'network-only';
  const [{ data, error }, refetch] = useQuery({ query: ChecklistQuery, variables: { id }, requestPolicy });
  const [{ data: requirement }] = useQuery({
    query: RequiredEInvoice,
    variables: { customerId: customer.id },
    requestPolicy,
  });
  const required = requirement?.required ?? null;
  const [{ data: preflight }] = useQuery({
    query: PreflightQuery,
    variables: { id, format: required ?? 'XRECHNUNG_CII' },
    pause: required === null,
    requestPolicy,
  });
  const client = useClient();
  if (!data || !requirement || (required && !preflight))
    return error ? <LoadError error={error} refetch={refetch} /> : <Skeleton h={420} radius="md" />;
  const checks = data.invoice?.checklist ?? [];
  const breaches = preflight?.breaches ?? [];
  const missing = checks.filter(({ warnings }) => warnings.length > 0).length;
  const list = (
    <Stack gap="md">
      <Text fw={600}>
        {breaches.length > 0
          ? t('It can’t be issued yet: the e-invoice that the customer requires lacks something.')
          : missing > 0
            ? t('{count} points are missing or probably wrong. You can issue it all the same.', { count: missing })
            : t('Nothing is missing.')}
      </Text>
      <List listStyleType="none" spacing="sm" size="sm" aria-label={t('Checklist')}>
        {checks.map((check) => (
          <Line key={check.code} isMet={check.warnings.length === 0} title={titles[check.code]} law={check.law}>
            {check.warnings.map(({ field, message }) => (
              <Text key={`${field} ${message}`} size="sm">
                {translateWarning(message)} <Mend field={field} customerId={customer.id} invoiceId={id} />
              </Text>
            ))}
          </Line>
        ))}
        {required && (
          <Line isMet={breaches.length === 0} title={t('E-invoice that the customer requires')} law={null}>
            {breaches.map(({ rule, field, message }) => (
              <Text key={`${rule} ${field}`} size="sm">
                {translate(message)} ({rule}) <Mend field={field} customerId={customer.id} invoiceId={id} />
              </Text>
            ))}
          </Line>
        )}
      </List>
      {!withPdf && (
        <Button
          variant="default"
          w="fit-content"
          leftSection={<EyeIcon width={18} aria-hidden />}
          onClick={() => void openPdf(client.query(PdfQuery, { id }, { requestPolicy }).toPromise())}
        >
          {t('Preview PDF')}
        </Button>
      )}
      <Text size="sm" c="dimmed">
        {t('The invoice gets its number and can no longer be edited. You can still record payments or cancel it.')}
      </Text>
    </Stack>
  );
  return (
    <>
      {withPdf ? (
        <SimpleGrid cols={2} spacing="lg">
          {list}
          <PdfFrame key={version} query={PdfQuery} id={id} title={t('Preview of the invoice')} />
        </SimpleGrid>
      ) : (
        list
      )}
      <Box className="dialog-footer">
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('Cancel')}
          </Button>
          <Button data-autofocus leftSection={<CheckIcon width={18} aria-hidden />} onClick={onIssue}>
            {t('Issue')}
          </Button>
        </Group>
      </Box>
    </>
  );
}

interface LineProps {
  isMet: boolean;
  title: string;
  law: string | null;
  children: ReactNode;
}

function Line({ isMet, title, law, children }: LineProps): ReactNode {
  const Icon = isMet ? CheckCircleIcon : ExclamationTriangleIcon;
  return (
    <List.Item
      icon={<Icon width={20} color={`var(--mantine-color-${isMet ? 'teal' : 'orange'}-text)`} aria-hidden />}
      styles={{ itemWrapper: { alignItems: 'flex-start' } }}
    >
      <VisuallyHidden>{isMet ? t('Met:') : t('Missing:')}</VisuallyHidden>{' '}
      <Text span size="sm" fw={isMet ? undefined : 600}>
        {title}
      </Text>{' '}
      {/* A warning ends with the law. */}
      {law !== null && isMet && (
        <Text span size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          {translate(law)}
        </Text>
      )}
      {children}
    </List.Item>
  );
}
