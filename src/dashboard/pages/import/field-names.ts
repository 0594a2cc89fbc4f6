import { fieldName } from '../../errors/plain-messages.ts';
import { t, translate } from '../../i18n/t.ts';

/** Names that don't follow from the field's own. */
const names: Record<string, string> = {
  externalId: t('Id in the other system'),
  deliveryDate: t('Date of supply'),
  companyName: t('Name'),
  email: t('E-mail address'),
  addressLine1: t('Street and number'),
  vatId: t('VAT number'),
  electronicAddressScheme: t('Scheme of the electronic address'),
  paymentTermsDays: t('Payment terms, days'),
  discountPercent: t('Discount, %'),
  unitCode: t('Code of the unit'),
  totalGross: t('Gross total'),
  unitPriceNet: t('Net unit price'),
  lineTotalNet: t('Net line total'),
  hourlyRateNet: t('Net hourly rate'),
  amountGross: t('Gross amount'),
};

/** A field's name for users. */
export const getLabel = (field: string): string => names[field] ?? fieldName(field);

/** A field's description for users: other fields by their names for users, and no marks of code. */
export const getHint = ({ description }: { description: string }): string =>
  translate(description)
    .replaceAll(/`([a-z]+[A-Z]\w*)`/g, (_, field: string) => t('“{name}”', { name: getLabel(field) }))
    .replaceAll('`', '');
