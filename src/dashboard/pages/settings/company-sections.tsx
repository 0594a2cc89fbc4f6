import { Card, ColorInput, Group, Select, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useId, type ReactNode } from 'react';
import { countries, languages } from '../../format/codes.ts';
import { DecimalInput } from '../../forms/decimal-input.tsx';
import { bic, iban } from '../../i18n/same-names.ts';
import { t } from '../../i18n/t.ts';
import { requiredEInvoices } from '../invoices/formats.ts';
import type { CompanyValues } from './company.tsx';
import { contrastOnWhite } from './contrast.ts';
import { LogoField } from './logo-field.tsx';

/** The most usual codes of schemes. */
const schemes = { registration: '0106, 0184, 0007, 0192, …', address: '0088, 9930, EM, …' };
const swatches = ['#1a2b3c', '#1c3f94', '#0b5d6b', '#1f6f3f', '#7a3e00', '#8c1d2f', '#5b2a86', '#333333'];

const issueDateOrders: { value: CompanyValues['issueDateOrder']; label: string }[] = [
  { value: 'WARN', label: t('Warn of it') },
  { value: 'REFUSE', label: t('Refuse it') },
];

/** The least contrast that can be read on white paper: WCAG's for large text. */
const readable = 3;

interface Props {
  field: UseFormReturnType<CompanyValues>['getInputProps'];
  values: CompanyValues;
}

/** The fields of the company, as wide as what goes in. */
export const CompanySections = ({ field, values }: Props): ReactNode => (
  <>
    <Section title={t('Name and address')}>
      <TextInput label={t('Legal name')} required maw={480} {...field('legalName')} />
      <TextInput label={t('Street and number')} maw={480} {...field('addressLine1')} />
      <TextInput label={t('More of the address')} maw={480} {...field('addressLine2')} />
      <Group align="flex-start" maw={480}>
        <TextInput label={t('Postal code')} w={120} {...field('postalCode')} />
        <TextInput label={t('City')} miw={180} flex={1} {...field('city')} />
      </Group>
      <Select label={t('Country')} data={countries} searchable clearable maw={320} {...field('country')} />
    </Section>
    <Section title={t('Tax and register')}>
      <Group align="flex-end">
        <TextInput label={t('VAT number')} w={200} maw="100%" {...field('vatId')} />
        <TextInput
          label={t('Tax number')}
          description={t('Where it isn’t the VAT number')}
          w={220}
          maw="100%"
          {...field('taxNumber')}
        />
      </Group>
      <TextInput
        label={t('Register entry')}
        description={t('Court and number')}
        maw={480}
        {...field('registerEntry')}
      />
      <Group align="flex-end">
        <TextInput
          label={t('Registration number')}
          description={t('For e-invoices: a KVK, CVR, or organization number')}
          w={300}
          maw="100%"
          {...field('registrationNumber')}
        />
        <TextInput
          label={t('Scheme of the number')}
          description={schemes.registration}
          w={200}
          maw="100%"
          {...field('registrationNumberScheme')}
        />
      </Group>
    </Section>
    <Section title={t('Contact')}>
      <TextInput label={t('Contact')} description={t('The person to ask for')} maw={480} {...field('contactName')} />
      <Group align="flex-start">
        <TextInput label={t('Phone')} type="tel" w={220} maw="100%" {...field('phone')} />
        <TextInput
          label={t('E-mail')}
          type="email"
          inputMode="email"
          miw={220}
          flex={1}
          maw={360}
          {...field('email')}
        />
      </Group>
      <Group align="flex-end">
        <TextInput
          label={t('Electronic address')}
          description={t('For e-invoices. Default: the e-mail address; in Peppol, the registration or VAT number')}
          w={300}
          maw="100%"
          {...field('electronicAddress')}
        />
        <TextInput
          label={t('Scheme of the address')}
          description={schemes.address}
          w={200}
          maw="100%"
          {...field('electronicAddressScheme')}
        />
      </Group>
    </Section>
    <Section title={t('Payment')}>
      <Group align="flex-start">
        <TextInput label={iban} w={340} maw="100%" {...field('iban')} />
        <TextInput label={bic} w={160} {...field('bic')} />
      </Group>
      <TextInput
        label={t('Payment terms, days')}
        description={t('When an invoice is due, unless the customer has other terms. Default: 14')}
        inputMode="numeric"
        styles={{ wrapper: { maxWidth: 120 } }}
        {...field('paymentTermsDays')}
      />
      <DecimalInput label={t('Usual VAT, %')} w={120} {...field('defaultVatRate')} />
    </Section>
    <Section title={t('Documents')}>
      <LogoField {...field('logo')} value={values.logo} />
      <ColorInput
        label={t('Colour')}
        placeholder={swatches[0] ?? ''}
        format="hex"
        swatches={swatches}
        swatchesPerRow={8}
        popoverProps={{ withinPortal: true }}
        eyeDropperButtonProps={{ 'aria-label': t('Pick a colour from the screen') }}
        w={220}
        maw="100%"
        {...field('accentColor')}
      />
      <Contrast color={values.accentColor} />
      <Select label={t('Language')} data={languages} clearable maw={320} {...field('language')} />
      <Select
        label={t('Required e-invoice')}
        description={t('An invoice that breaks its rules can’t be issued. A customer can have another choice')}
        data={requiredEInvoices}
        clearable
        maw={320}
        {...field('requiredEInvoice')}
      />
      <Select
        label={t('A date before that of the last issued document')}
        description={t('Invoices and credit notes are numbered in the order in which they are issued')}
        data={issueDateOrders}
        allowDeselect={false}
        maw={320}
        {...field('issueDateOrder')}
      />
      <Textarea label={t('Text at the foot')} autosize minRows={2} maxRows={8} {...field('footer')} />
    </Section>
  </>
);

/** Whether what has the colour can be read on paper. */
function Contrast({ color }: { color: string }): ReactNode {
  const contrast = contrastOnWhite(color);
  if (contrast === undefined || contrast >= readable) return null;
  return (
    <Text size="sm" role="status" c="var(--mantine-color-error)">
      {t('This colour is hard to read on white paper. A darker one is better.')}
    </Text>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }): ReactNode {
  const id = useId();
  return (
    <Card withBorder radius="md" component="fieldset" m={0} miw={0} aria-labelledby={id}>
      <Stack gap="md">
        <Title order={2} size="h4" id={id}>
          {title}
        </Title>
        {children}
      </Stack>
    </Card>
  );
}
