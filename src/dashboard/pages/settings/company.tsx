import './company.css';
import { Skeleton } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState, type ReactNode } from 'react';
import { useClient, useMutation, useQuery } from 'urql';
import { notifySuccess } from '../../components/toast.ts';
import { LoadError } from '../../errors/error-boundary.tsx';
import { readStored } from '../../forms/edit-conflict.ts';
import { decimalField, orNull, toCount, toDecimal } from '../../forms/form-values.ts';
import { Form, useSubmit } from '../../forms/form.tsx';
import { hasUnsaved } from '../../forms/unsaved.ts';
import { graphql, type FragmentOf } from '../../graphql.ts';
import { toFile } from '../../upload/data-url.ts';
import { Page } from '../../layout/page.tsx';
import { CompanySections } from './company-sections.tsx';
import { Letterhead } from './letterhead.tsx';
import { t } from '../../i18n/t.ts';

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
    issueDateOrder
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
  issueDateOrder: company?.issueDateOrder ?? 'WARN',
  /** A data URL. */
  logo: company?.logo ? `data:image/png;base64,${company.logo.base64}` : '',
});

export type CompanyValues = ReturnType<typeof buildValues>;

/** @param stored the logo that need not be sent, because it is stored */
const buildInput = (values: CompanyValues, stored: string) => ({
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
  issueDateOrder: values.issueDateOrder,
  logo: values.logo === stored ? undefined : values.logo === '' ? null : toFile(values.logo, 'logo'),
});

/** The company profile: what invoices say of the seller. */
export default function CompanyPage(): ReactNode {
  const [{ data, error }, refetch] = useQuery({ query: CompanyQuery });
  const [company, setCompany] = useState<Company | null>();
  // A new version makes a new form, but not where that would lose input: each mutation reads the company again, also a refused one.
  if (data && (company === undefined || (data.company?.version !== company?.version && !hasUnsaved())))
    setCompany(data.company);
  return (
    <Page title={t('Company')} description={t('What your invoices say of you. Issued invoices keep what they said.')}>
      {company !== undefined ? (
        <CompanyForm key={company?.version} company={company} />
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
    {
      ...(company && { version: company.version }),
      // Somebody else may have made the first profile meanwhile.
      read: () =>
        readStored(
          client.query(StoredCompany, {}, { requestPolicy: 'network-only' }).toPromise(),
          ({ company: stored }) => stored && { version: stored.version, values: buildValues(stored) },
          t('There is no company profile any more.'),
        ),
    },
  );
  const field = form.getInputProps;
  return (
    <div className="beside-letterhead">
      <Form submission={submission} submit={t('Save')}>
        <CompanySections field={field} values={form.values} />
      </Form>
      <div>
        <Letterhead values={form.values} />
      </div>
    </div>
  );
}
