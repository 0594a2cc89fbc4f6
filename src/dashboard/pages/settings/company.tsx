import { Card, Group, Select, Skeleton, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { useClient, useMutation, useQuery } from 'urql';
import { notifySuccess } from '../../components/toast.ts';
import { LoadError } from '../../errors/error-boundary.tsx';
import { countries, languages } from '../../format/codes.ts';
import { DecimalInput } from '../../forms/decimal-input.tsx';
import { readStored } from '../../forms/edit-conflict.ts';
import { decimalField, orNull, toCount, toDecimal } from '../../forms/form-values.ts';
import { Form, useSubmit } from '../../forms/form.tsx';
import { graphql, type FragmentOf } from '../../graphql.ts';
import { requiredEInvoices } from '../invoices/formats.ts';
import { toFile } from '../../upload/data-url.ts';
import { LogoField } from './logo-field.tsx';
import { Page } from '../../layout/page.tsx';
import { bic, iban } from '../../i18n/same-names.ts';
import { t } from '../../i18n/t.ts';

/** The most usual codes of schemes. */
const schemes = { registration: '0106, 0184, 0007, 0192, …', address: '0088, 9930, EM, …' };
const exampleOfColor = '#1a2b3c';

const CompanyFields = graphql(`
  fragment CompanyFields on Company {
    id
    version
    legalName
    addressLine1
    addressLine2
    postalCode
    city
    country
    vatId
    taxNumber
    registerEntry
    registrationNumber
    registrationNumberScheme
    contactName
    phone
    email
    electronicAddress
    electronicAddressScheme
    iban
    bic
    paymentTermsDays
    defaultVatRate
    footer
    language
    accentColor
    requiredEInvoice
    logo {
      base64
    }
  }
`);

const CompanyQuery = graphql(
  `
    query Company {
      company {
        ...CompanyFields
      }
    }
  `,
  [CompanyFields],
);

/** Apart from the page's query: its result would make a new form, without the input of this one. */
const StoredCompany = graphql(
  `
    query StoredCompany {
      company {
        ...CompanyFields
      }
    }
  `,
  [CompanyFields],
);

const UpdateCompany = graphql(
  `
    mutation UpdateCompany($input: UpdateCompanyInput!, $expectedVersion: Int) {
      saved: updateCompany(input: $input, expectedVersion: $expectedVersion) {
        ...CompanyFields
      }
    }
  `,
  [CompanyFields],
);

type Company = FragmentOf<typeof CompanyFields>;

const buildValues = (company: Company | null) => ({
  legalName: company?.legalName ?? '',
  addressLine1: company?.addressLine1 ?? '',
  addressLine2: company?.addressLine2 ?? '',
  postalCode: company?.postalCode ?? '',
  city: company?.city ?? '',
  country: company?.country ?? null,
  vatId: company?.vatId ?? '',
  taxNumber: company?.taxNumber ?? '',
  registerEntry: company?.registerEntry ?? '',
  registrationNumber: company?.registrationNumber ?? '',
  registrationNumberScheme: company?.registrationNumberScheme ?? '',
  contactName: company?.contactName ?? '',
  phone: company?.phone ?? '',
  email: company?.email ?? '',
  electronicAddress: company?.electronicAddress ?? '',
  electronicAddressScheme: company?.electronicAddressScheme ?? '',
  iban: company?.iban ?? '',
  bic: company?.bic ?? '',
  paymentTermsDays: company?.paymentTermsDays?.toString() ?? '',
  defaultVatRate: company?.defaultVatRate ? decimalField(company.defaultVatRate) : '',
  footer: company?.footer ?? '',
  language: company?.language ?? null,
  accentColor: company?.accentColor ?? '',
  requiredEInvoice: company?.requiredEInvoice ?? null,
  /** A data URL. */
  logo: company?.logo ? `data:image/png;base64,${company.logo.base64}` : '',
});

type Values = ReturnType<typeof buildValues>;

/** @param stored the logo that need not be sent, because it is stored */
const buildInput = (values: Values, stored: string) => ({
  legalName: values.legalName,
  addressLine1: orNull(values.addressLine1),
  addressLine2: orNull(values.addressLine2),
  postalCode: orNull(values.postalCode),
  city: orNull(values.city),
  country: values.country,
  vatId: orNull(values.vatId),
  taxNumber: orNull(values.taxNumber),
  registerEntry: orNull(values.registerEntry),
  registrationNumber: orNull(values.registrationNumber),
  registrationNumberScheme: orNull(values.registrationNumberScheme),
  contactName: orNull(values.contactName),
  phone: orNull(values.phone),
  email: orNull(values.email),
  electronicAddress: orNull(values.electronicAddress),
  electronicAddressScheme: orNull(values.electronicAddressScheme),
  iban: orNull(values.iban),
  bic: orNull(values.bic),
  paymentTermsDays: toCount(values.paymentTermsDays),
  defaultVatRate: toDecimal(values.defaultVatRate) || null,
  footer: orNull(values.footer),
  language: values.language,
  accentColor: orNull(values.accentColor),
  requiredEInvoice: values.requiredEInvoice,
  logo: values.logo === stored ? undefined : values.logo === '' ? null : toFile(values.logo, 'logo'),
});

/** The company profile: what invoices say of the seller. */
export default function CompanyPage(): ReactNode {
  const [{ data, error }, refetch] = useQuery({ query: CompanyQuery });
  return (
    <Page title={t('Company')} description={t('What your invoices say of you. Issued invoices keep what they said.')}>
      {data ? (
        <CompanyForm key={data.company?.version} company={data.company} />
      ) : error ? (
        <LoadError error={error} refetch={refetch} />
      ) : (
        <Skeleton h={420} radius="md" />
      )}
    </Page>
  );
}

function CompanyForm({ company }: { company: Company | null }): ReactNode {
  const client = useClient();
  const [, update] = useMutation(UpdateCompany);
  const form = useForm({ mode: 'controlled', initialValues: buildValues(company) });
  const submission = useSubmit(
    form,
    (typed, context, expectedVersion) =>
      update({ input: buildInput(typed, buildValues(company).logo), expectedVersion }, context),
    () => notifySuccess(t('The company profile is saved.')),
    company
      ? {
          version: company.version,
          read: () =>
            readStored(
              client.query(StoredCompany, {}, { requestPolicy: 'network-only' }).toPromise(),
              ({ company: stored }) => ({ version: stored?.version ?? 0, values: buildValues(stored) }),
              t('There is no company profile any more.'),
            ),
        }
      : undefined,
  );
  const field = form.getInputProps;
  return (
    <Form submission={submission} submit={t('Save')}>
      <Section title={t('Name and address')}>
        <TextInput label={t('Legal name')} required {...field('legalName')} />
        <TextInput label={t('Street and number')} {...field('addressLine1')} />
        <TextInput label={t('More of the address')} {...field('addressLine2')} />
        <Group grow preventGrowOverflow={false} align="flex-start">
          <TextInput label={t('Postal code')} w={120} {...field('postalCode')} />
          <TextInput label={t('City')} miw={180} {...field('city')} />
        </Group>
        <Select label={t('Country')} data={countries} searchable clearable {...field('country')} />
      </Section>
      <Section title={t('Tax and register')}>
        <TextInput label={t('VAT number')} {...field('vatId')} />
        <TextInput label={t('Tax number')} description={t('Where it isn’t the VAT number')} {...field('taxNumber')} />
        <TextInput label={t('Register entry')} description={t('Court and number')} {...field('registerEntry')} />
        <Group grow preventGrowOverflow={false} align="flex-start">
          <TextInput
            label={t('Registration number')}
            description={t('For e-invoices: a KVK, CVR, or organization number')}
            miw={180}
            {...field('registrationNumber')}
          />
          <TextInput
            label={t('Scheme of the number')}
            description={schemes.registration}
            miw={160}
            {...field('registrationNumberScheme')}
          />
        </Group>
      </Section>
      <Section title={t('Contact')}>
        <TextInput label={t('Contact')} description={t('The person to ask for')} {...field('contactName')} />
        <TextInput label={t('Phone')} type="tel" {...field('phone')} />
        <TextInput label={t('E-mail')} type="email" inputMode="email" {...field('email')} />
        <Group grow preventGrowOverflow={false} align="flex-start">
          <TextInput
            label={t('Electronic address')}
            description={t('For e-invoices. Default: the e-mail address; in Peppol, the registration or VAT number')}
            miw={180}
            {...field('electronicAddress')}
          />
          <TextInput
            label={t('Scheme of the address')}
            description={schemes.address}
            miw={160}
            {...field('electronicAddressScheme')}
          />
        </Group>
      </Section>
      <Section title={t('Payment')}>
        <TextInput label={iban} {...field('iban')} />
        <TextInput label={bic} {...field('bic')} />
        <TextInput
          label={t('Payment terms, days')}
          description={t('When an invoice is due, unless the customer has other terms. Default: 14')}
          inputMode="numeric"
          {...field('paymentTermsDays')}
        />
        <DecimalInput label={t('Usual VAT, %')} {...field('defaultVatRate')} />
      </Section>
      <Section title={t('Documents')}>
        <LogoField {...field('logo')} value={form.values.logo} />
        <Select label={t('Language')} data={languages} clearable {...field('language')} />
        <TextInput label={t('Colour')} placeholder={exampleOfColor} {...field('accentColor')} />
        <Select
          label={t('Required e-invoice')}
          description={t('An invoice that breaks its rules can’t be issued. A customer can have another choice')}
          data={requiredEInvoices}
          clearable
          {...field('requiredEInvoice')}
        />
        <Textarea label={t('Text at the foot')} autosize minRows={2} maxRows={8} {...field('footer')} />
      </Section>
    </Form>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <Card withBorder radius="md" component="fieldset" aria-label={title}>
      <Stack gap="md">{children}</Stack>
    </Card>
  );
}
