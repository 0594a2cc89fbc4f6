import type { Preset } from '../presets.ts';

/**
 * The files of Xero: Contacts, Export, and Invoices, Export. Xero describes the columns of contacts on
 * https://help.xero.com/us/Contacts-Import-Existing; an exported file has the columns of the import's template. The columns of
 * invoices are those that Moment documents for files in this format. An invoice has a row for each line, with the same
 * number. Dates are as in the organisation's country: day first, except in the United States.
 */
export const xero: Preset = {
  title: 'Xero',
  sources: [
    'https://help.xero.com/us/Contacts-Import-Existing',
    'https://docs.milientsoftware.com/help/moment-by-topic/integrations/file-exports/file-export-accounting-system/xero',
  ],
  files: {
    Customer: {
      columns: {
        // The file has no id. Names are unique in Xero, and invoices refer to them.
        externalId: 'ContactName',
        companyName: 'ContactName',
        email: 'EmailAddress',
        addressLine1: 'POAddressLine1',
        postalCode: 'POPostalCode',
        city: 'POCity',
        country: 'POCountry',
        vatId: 'TaxNumber',
        phone: 'PhoneNumber',
      },
      defaults: { type: 'customer' },
      format: { dateFormat: 'DD/MM/YYYY', decimalSeparator: '.' },
      leftOut: {},
      replacements: {},
    },
    Invoice: {
      columns: {
        externalId: 'InvoiceNumber',
        number: 'InvoiceNumber',
        customer: 'ContactName',
        invoiceDate: 'InvoiceDate',
        dueDate: 'DueDate',
        subject: 'Reference',
        currency: 'Currency',
        amountDue: 'InvoiceAmountDue',
        totalGross: 'Total',
        title: 'Description',
        quantity: 'Quantity',
        unitPriceNet: 'UnitAmount',
        lineTotalNet: 'LineAmount',
        vatAmount: 'TaxAmount',
        vatRate: 'TaxType',
      },
      // A line that is only a text has neither a price nor a tax.
      defaults: { unitPriceNet: '0', vatRate: '0' },
      format: { dateFormat: 'DD/MM/YYYY', decimalSeparator: '.' },
      leftOut: {
        Type: ['Sales credit note', 'Sales overpayment', 'Sales prepayment', 'Bill', 'Purchase invoice'],
        Status: ['Draft', 'Submitted', 'Awaiting approval', 'Voided', 'Deleted'],
      },
      replacements: {},
    },
  },
};
