import { Radio, Select, SimpleGrid, Skeleton, Stack, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import { useMutation, useQuery } from 'urql';
import { Form, useSubmit } from '../../forms/form.tsx';
import { orNull, toCount } from '../../forms/form-values.ts';
import { label, today } from '../../format/format.ts';
import { graphql, type EnumOf, type ResultOf, type VariablesOf } from '../../graphql.ts';
import { findOneOf, getKeys } from '../../list/list-state.ts';
import { lastMonth } from '../reports/period.ts';
import { sideLabels } from '../reports/texts.ts';
import type { Asked } from './asked.ts';
import { CreateExport } from './create-export.ts';
import { FormatField } from './format-field.tsx';
import {
  charts,
  lists,
  buildOptions,
  types,
  type ExportFormat,
  type ExportResource,
  type ExportType,
} from './texts.ts';
import { t } from '../../i18n/t.ts';

const LastDatevExport = graphql(`
  query LastDatevExport {
    exports(first: 1, filter: { type: { eq: DATEV } }) {
      nodes {
        chart
        consultantNumber
        clientNumber
      }
    }
  }
`);

type LastDatev = ResultOf<typeof LastDatevExport>['exports']['nodes'][number];
type Input = VariablesOf<typeof CreateExport>['input'];

interface Values {
  type: ExportType;
  resource: ExportResource;
  format: ExportFormat;
  from: string;
  to: string;
  at: string;
  side: EnumOf<'ExportSide'>;
  chart: EnumOf<'ExportChart'>;
  consultantNumber: string;
  clientNumber: string;
}

/** The period that is usually exported as this type; none for a list, which then has all its rows. */
function usualPeriod(type: ExportType): Pick<Values, 'from' | 'to'> {
  if (type === 'DATEV') return lastMonth();
  if (type !== 'GOBD') return { from: '', to: '' };
  const year = Number(today().slice(0, 4)) - 1;
  return { from: `${year}-01-01`, to: `${year}-12-31` };
}

/** The chart and the numbers hardly change from one export for DATEV to the next. */
function initialValues(asked: Asked, lastDatev: LastDatev | undefined): Values {
  const { type } = asked;
  const period = usualPeriod(type);
  return {
    type,
    resource: asked.resource ?? 'INVOICES',
    format: 'CSV',
    from: asked.from ?? period.from,
    to: asked.to ?? period.to,
    at: asked.at ?? today(),
    side: asked.side ?? 'RECEIVABLE',
    chart: lastDatev?.chart ?? 'SKR03',
    consultantNumber: String(lastDatev?.consultantNumber ?? ''),
    clientNumber: String(lastDatev?.clientNumber ?? ''),
  };
}

/** The fields that the type takes. */
function toInput({ type, resource, format, at, side, chart, ...rest }: Values): Input {
  const days = { from: orNull(rest.from), to: orNull(rest.to) };
  switch (type) {
    case 'LIST':
      return { type, resource, format, ...(lists[resource].isDated && days) };
    case 'OPEN_ITEMS':
      return { type, at: orNull(at), side, format };
    case 'DATEV': {
      const { consultantNumber, clientNumber } = rest;
      const numbers = { consultantNumber: toCount(consultantNumber), clientNumber: toCount(clientNumber) };
      return { type, ...days, chart, ...numbers };
    }
    default:
      return { type, ...days };
  }
}

interface Props {
  /** The export that a link asks for. */
  asked?: Asked | undefined;
  onDone: (id: string) => void;
  onCancel: () => void;
}

const anyList: Asked = { type: 'LIST' };

export function NewExport({ asked = anyList, ...rest }: Props): ReactNode {
  const [{ data, error }] = useQuery({ query: LastDatevExport });
  if (!data && !error) return <Skeleton h={480} />;
  return <NewExportForm asked={asked} lastDatev={data?.exports.nodes[0]} {...rest} />;
}

function NewExportForm({
  asked,
  lastDatev,
  onDone,
  onCancel,
}: Props & { asked: Asked; lastDatev: LastDatev | undefined }): ReactNode {
  const [, create] = useMutation(CreateExport);
  const form = useForm<Values>({ mode: 'controlled', initialValues: initialValues(asked, lastDatev) });
  const submission = useSubmit(
    form,
    (values, context) => create({ input: toInput(values) }, context),
    (data) => onDone(data.createExport.id),
  );
  const { type } = form.values;
  const Fields = fieldsByType[type];
  return (
    <Form submission={submission} submit={t('Export')} onCancel={onCancel}>
      <Radio.Group
        label={t('What')}
        {...form.getInputProps('type')}
        onChange={(value) => {
          const chosen = findOneOf(value, getKeys(types));
          if (!chosen) return;
          form.clearErrors();
          form.setValues({ type: chosen, ...usualPeriod(chosen) });
        }}
      >
        <Stack gap="sm" mt="xs">
          {getKeys(types).map((value) => (
            <Radio key={value} value={value} {...types[value]} />
          ))}
        </Stack>
      </Radio.Group>
      <Fields form={form} />
    </Form>
  );
}

interface FieldsProps {
  form: UseFormReturnType<Values>;
}

const fieldsByType: Record<ExportType, (props: FieldsProps) => ReactNode> = {
  LIST: ListFields,
  OPEN_ITEMS: OpenItemsFields,
  DATEV: DatevFields,
  GOBD: ({ form }) => <PeriodFields form={form} required />,
};

const listOptions = getKeys(lists).map((value) => ({ value, label: label(value) }));

function ListFields({ form }: FieldsProps): ReactNode {
  return (
    <>
      <Select
        label={t('Which list')}
        description={t('All fields. The filters of the list’s page don’t apply.')}
        data={listOptions}
        searchable
        {...form.getInputProps('resource')}
      />
      {lists[form.values.resource].isDated && <PeriodFields form={form} />}
      <FormatField {...form.getInputProps('format')} />
    </>
  );
}

function OpenItemsFields({ form }: FieldsProps): ReactNode {
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput type="date" label={t('At the end of')} required {...form.getInputProps('at')} />
        <Select label={t('Who owes')} data={buildOptions(sideLabels)} {...form.getInputProps('side')} />
      </SimpleGrid>
      <FormatField {...form.getInputProps('format')} />
    </>
  );
}

function DatevFields({ form }: FieldsProps): ReactNode {
  return (
    <>
      <PeriodFields form={form} required />
      <Select
        label={t('Chart of accounts')}
        description={t('The one that your tax consultant uses.')}
        data={buildOptions(charts)}
        {...form.getInputProps('chart')}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={t('Consultant number')}
          description={t('Of your tax consultant at DATEV (Beraternummer).')}
          inputMode="numeric"
          placeholder="1001"
          {...form.getInputProps('consultantNumber')}
        />
        <TextInput
          label={t('Client number')}
          description={t('Yours at your tax consultant (Mandantennummer).')}
          inputMode="numeric"
          placeholder="1"
          {...form.getInputProps('clientNumber')}
        />
      </SimpleGrid>
    </>
  );
}

/** A period. It is optional for a list. */
const PeriodFields = ({ form, required = false }: FieldsProps & { required?: boolean }): ReactNode => (
  <SimpleGrid cols={{ base: 1, xs: 2 }}>
    <TextInput
      type="date"
      label={t('From')}
      required={required}
      {...(!required && { description: t('Empty: from the first row on.') })}
      {...form.getInputProps('from')}
    />
    <TextInput
      type="date"
      label={t('To')}
      required={required}
      {...(!required && { description: t('Empty: until the last row.') })}
      {...form.getInputProps('to')}
    />
  </SimpleGrid>
);
