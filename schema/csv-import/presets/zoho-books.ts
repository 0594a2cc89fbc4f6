import type { Preset } from '../presets.ts';

/**
 * The files of Zoho Books and Zoho Invoice: Customers, Export, and Invoices, Export. Zoho describes exports on
 * https://www.zoho.com/us/invoice/help/import-export/, and offers a sample file for each kind there. Invoice Ninja publishes
 * files with all columns as tests of its own import. An invoice has a row for each item. The person who exports chooses how
 * decimals are written.
 */
export const zohoBooks: Preset = {
  title: 'Zoho Books',
  sources: [
    'https://www.zoho.com/us/invoice/help/import-export/',
    'https://github.com/invoiceninja/invoiceninja/tree/v5-stable/tests/Feature/Import',
  ],
  files: {
    Customer: {
      columns: {
        externalId: 'Customer ID',
        type: 'Contact Type',
        companyName: 'Display Name',
        email: 'EmailID',
        addressLine1: 'Billing Address',
        postalCode: 'Billing Code',
        city: 'Billing City',
        country: 'Billing Country',
        contactName: 'Billing Attention',
        phone: 'Phone',
      },
      defaults: { type: 'customer' },
      format: { dateFormat: 'YYYY-MM-DD', decimalSeparator: '.' },
      leftOut: {},
      replacements: { type: { vendor: 'supplier' } },
    },
    Invoice: {
      columns: {
        externalId: 'Invoice ID',
        number: 'Invoice Number',
        customer: 'Customer ID',
        invoiceDate: 'Invoice Date',
        dueDate: 'Due Date',
        subject: 'Subject',
        currency: 'Currency Code',
        paidOn: 'Last Payment Date',
        amountDue: 'Balance',
        totalGross: 'Total',
        title: 'Item Name',
        quantity: 'Quantity',
        unit: 'Usage unit',
        unitPriceNet: 'Item Price',
        lineTotalNet: 'Item Total',
        vatAmount: 'Item Tax Amount',
        vatRate: 'Item Tax %',
      },
      // Items without a tax have no rate. Organisations without taxes have no such column.
      defaults: { vatRate: '0' },
      format: { dateFormat: 'YYYY-MM-DD', decimalSeparator: '.' },
      leftOut: { 'Invoice Status': ['Draft', 'Void', 'Pending approval', 'Rejected'] },
      replacements: {},
    },
  },
};
