// Files as other systems export them, with data of our own.

type Cells = Record<string, string>;

/** A row under headings. Cells that aren't named are empty. */
function row(headings: string, cells: Cells): string {
  const names = headings.split(',');
  const unknown = Object.keys(cells).filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`There is no column ${unknown.join(', ')}`);
  return names
    .map((name) => cells[name] ?? '')
    .map((cell) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(',');
}

const file = (headings: string, usual: Cells, rows: Cells[]): string =>
  [headings, ...rows.map((cells) => row(headings, { ...usual, ...cells })), ''].join('\r\n');

const xeroContactHeadings =
  '*ContactName,AccountNumber,EmailAddress,FirstName,LastName,POAttentionTo,POAddressLine1,POAddressLine2,POAddressLine3,POAddressLine4,POCity,PORegion,POPostalCode,POCountry,PhoneNumber,TaxNumber,AccountsReceivableTaxCodeName';
export const xeroContacts = (...rows: Cells[]): string => file(xeroContactHeadings, {}, rows);

const xeroInvoiceHeadings =
  'ContactName,EmailAddress,POAddressLine1,POAddressLine2,POAddressLine3,POAddressLine4,POCity,PORegion,POPostalCode,POCountry,SAAddressLine1,SAAddressLine2,SAAddressLine3,SAAddressLine4,SACity,SARegion,SAPostalCode,SACountry,InvoiceNumber,Reference,InvoiceDate,DueDate,PlannedDate,Total,TaxTotal,InvoiceAmountPaid,InvoiceAmountDue,InventoryItemCode,Description,Quantity,UnitAmount,Discount,LineAmount,AccountCode,TaxType,TaxAmount,TrackingName1,TrackingOption1,TrackingName2,TrackingOption2,Currency,Type,Sent,Status';
export const xeroInvoices = (...rows: Cells[]): string =>
  file(xeroInvoiceHeadings, { Currency: 'GBP', Type: 'Sales invoice', Sent: 'Sent', Status: 'Awaiting Payment' }, rows);

const zohoContactHeadings =
  'Created Time,Last Modified Time,Display Name,Company Name,Salutation,First Name,Last Name,Phone,Currency Code,Notes,Website,Status,Credit Limit,Customer Sub Type,Billing Attention,Billing Address,Billing Street2,Billing City,Billing State,Billing Country,Billing Code,Billing Phone,Billing Fax,Payment Terms,Payment Terms Label,Owner Name,EmailID,MobilePhone,Customer ID,Customer Name,Contact Type,Customer Address ID,Source,Reference ID';
export const zohoContacts = (...rows: Cells[]): string =>
  file(zohoContactHeadings, { Status: 'Active', 'Contact Type': 'customer', 'Payment Terms Label': 'Net 30' }, rows);

const zohoInvoiceHeadings =
  'Invoice Date,Invoice ID,Invoice Number,Estimate Number,Invoice Status,Customer Name,Company Name,Customer ID,Branch ID,Branch Name,Due Date,Expected Payment Date,PurchaseOrder,Template Name,Currency Code,Exchange Rate,Discount Type,Is Discount Before Tax,Entity Discount Percent,Entity Discount Amount,Item Name,Item Desc,Quantity,Usage unit,Item Price,Discount,Discount Amount,Expense Reference ID,Project ID,Project Name,Item Tax,Item Tax %,Item Tax Amount,Item Tax Type,Item Total,SubTotal,Total,Balance,Shipping Charge,Adjustment,Adjustment Description,Sales person,Payment Terms,Payment Terms Label,Last Payment Date,Notes,Terms & Conditions,Subject,Billing Address,Billing City,Billing Country,Billing Code';
export const zohoInvoices = (...rows: Cells[]): string =>
  file(zohoInvoiceHeadings, { 'Currency Code': 'EUR', 'Exchange Rate': '1.00', 'Invoice Status': 'Sent' }, rows);

/** The same file, as spreadsheets save it: with a byte order mark, semicolons, and decimal commas. */
export const bySpreadsheet = (csv: string): string =>
  `\uFEFF${csv.replaceAll(',', ';').replaceAll(/(?<=;)(-?\d+)\.(\d+)(?=;|\r)/g, '$1,$2')}`;
