import { fieldName } from '../../errors/plain-messages.ts';

/** Names that don't follow from the field's own. */
const names: Record<string, string> = {
  externalId: 'Id in the other system',
  deliveryDate: 'Date of supply',
  companyName: 'Name',
  email: 'E-mail address',
  addressLine1: 'Street and number',
  vatId: 'VAT number',
  electronicAddressScheme: 'Scheme of the electronic address',
  paymentTermsDays: 'Payment terms, days',
  discountPercent: 'Discount, %',
  unitCode: 'Code of the unit',
  totalGross: 'Gross total',
  unitPriceNet: 'Net unit price',
  lineTotalNet: 'Net line total',
  hourlyRateNet: 'Net hourly rate',
  amountGross: 'Gross amount',
};

/** A field's name for users. */
export const getLabel = (field: string): string => names[field] ?? fieldName(field);

/** A field's description for users: other fields by their names for users, and no marks of code. */
export const getHint = ({ description }: { description: string }): string =>
  description.replaceAll(/`([a-z]+[A-Z]\w*)`/g, (_, field: string) => `“${getLabel(field)}”`).replaceAll('`', '');
