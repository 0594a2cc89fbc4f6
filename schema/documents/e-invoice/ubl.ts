import type { Decimal } from '../../money/decimal.ts';
import { amountText, numberText } from './amounts.ts';
import {
  discountReasonCode,
  legalInformation,
  legalRegistration,
  paymentMeansCode,
  sellerIdentifier,
} from './derived-terms.ts';
import type { Profile } from './formats.ts';
import type { Buyer, Delivery, Line, NumberedEInvoice, Party, Period, Seller, VatBreakdown } from './model.ts';
import { element, xmlDocument, type Element } from './xml.ts';

// Elements stand in the order that the schema of the syntax demands. The numbers are EN 16931's business terms.

const common = {
  'xmlns:cac': 'urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2',
  'xmlns:cbc': 'urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2',
};

/** UBL has a schema for each type of document. They differ in some names. */
const documents = {
  '380': {
    root: 'Invoice',
    typeCode: 'cbc:InvoiceTypeCode',
    line: 'cac:InvoiceLine',
    quantity: 'cbc:InvoicedQuantity',
  },
  '381': {
    root: 'CreditNote',
    typeCode: 'cbc:CreditNoteTypeCode',
    line: 'cac:CreditNoteLine',
    quantity: 'cbc:CreditedQuantity',
  },
};
type Document = (typeof documents)['380' | '381'];

/** An amount element. It names its currency. */
const amount = (name: string, value: Decimal, currency: string): Element | undefined =>
  element(name, amountText(value, currency), { currencyID: currency });

/** A prepared invoice or credit note in UBL 2.1: a whole XML document. See `toXml()`. */
export function toUbl(invoice: NumberedEInvoice, profile: Profile): string {
  const { currency, accounting, totals } = invoice;
  const document = documents[invoice.typeCode];
  const isCreditNote = invoice.typeCode === '381';
  const content = [
    element('cbc:CustomizationID', profile.specification), // BT-24
    element('cbc:ProfileID', profile.process), // BT-23
    element('cbc:ID', invoice.number), // BT-1
    element('cbc:IssueDate', invoice.issueDate), // BT-2
    isCreditNote ? undefined : element('cbc:DueDate', invoice.dueDate), // BT-9
    element(document.typeCode, invoice.typeCode), // BT-3
    ...invoice.notes.map((text) => element('cbc:Note', note(text))), // BG-1, BT-22
    element('cbc:DocumentCurrencyCode', currency), // BT-5
    element('cbc:TaxCurrencyCode', accounting?.currency), // BT-6
    element('cbc:BuyerReference', invoice.buyerReference), // BT-10
    period(invoice.delivery.period), // BG-14
    element('cac:BillingReference', [
      element('cac:InvoiceDocumentReference', [
        element('cbc:ID', invoice.precedingInvoice?.number), // BT-25
        element('cbc:IssueDate', invoice.precedingInvoice?.issueDate), // BT-26
      ]),
    ]),
    element('cac:AccountingSupplierParty', [element('cac:Party', seller(invoice.seller))]), // BG-4
    element('cac:AccountingCustomerParty', [element('cac:Party', buyer(invoice.buyer))]), // BG-7
    delivery(invoice.delivery), // BG-13
    paymentMeans(invoice), // BG-16
    element('cac:PaymentTerms', [element('cbc:Note', invoice.paymentTerms)]), // BT-20
    element('cac:TaxTotal', [
      amount('cbc:TaxAmount', totals.vat, currency), // BT-110
      ...invoice.vatBreakdown.map((part) => vatBreakdown(part, currency)), // BG-23
    ]),
    accounting && element('cac:TaxTotal', [amount('cbc:TaxAmount', accounting.vat, accounting.currency)]), // BT-111
    element('cac:LegalMonetaryTotal', [
      amount('cbc:LineExtensionAmount', totals.net, currency), // BT-106
      amount('cbc:TaxExclusiveAmount', totals.net, currency), // BT-109
      amount('cbc:TaxInclusiveAmount', totals.gross, currency), // BT-112
      amount('cbc:PrepaidAmount', totals.paid, currency), // BT-113
      amount('cbc:PayableAmount', totals.due, currency), // BT-115
    ]),
    ...invoice.lines.map((item) => line(item, currency, document)), // BG-25
  ];
  return xmlDocument({
    name: document.root,
    attributes: { xmlns: `urn:oasis:names:specification:ubl:schema:xsd:${document.root}-2`, ...common },
    content: content.filter((child) => child !== undefined),
  });
}

/**
 * A note. UBL has no element for the subject of a note (BT-21), so a code of three characters between the first two
 * number signs is read as one (BR-CL-08). A text of this form gets a subject of its own: AAI, general information.
 */
const note = (text: string): string => (/^[^#]*#[^#]{3}#/.test(text) ? `#AAI#${text}` : text);

const period = (dates: Period | undefined): Element | undefined =>
  element('cac:InvoicePeriod', [
    element('cbc:StartDate', dates?.start), // BT-73, BT-134
    element('cbc:EndDate', dates?.end), // BT-74, BT-135
  ]);

const seller = (party: Seller): (Element | undefined)[] => [
  endpoint(party), // BT-34
  element('cac:PartyIdentification', [element('cbc:ID', sellerIdentifier(party))]), // BT-29
  address(party), // BG-5
  taxScheme('VAT', party.vatId), // BT-31
  taxScheme('FC', party.taxNumber), // BT-32
  element('cac:PartyLegalEntity', [
    element('cbc:RegistrationName', party.name), // BT-27
    legalId(party), // BT-30
    element('cbc:CompanyLegalForm', legalInformation(party)), // BT-33
  ]),
  contact(party), // BG-6
];

const legalId = (party: Seller): Element | undefined => {
  const { value, scheme } = legalRegistration(party) ?? {};
  return element('cbc:CompanyID', value, scheme === undefined ? {} : { schemeID: scheme });
};

const buyer = (party: Buyer): (Element | undefined)[] => [
  endpoint(party), // BT-49
  address(party), // BG-8
  taxScheme('VAT', party.vatId), // BT-48
  element('cac:PartyLegalEntity', [element('cbc:RegistrationName', party.name)]), // BT-44
  contact(party), // BG-9
];

const endpoint = ({ electronicAddress }: Party): Element | undefined =>
  electronicAddress && element('cbc:EndpointID', electronicAddress.value, { schemeID: electronicAddress.scheme });

const address = ({ address: { line1, line2, city, postalCode, country } }: Party): Element | undefined =>
  element('cac:PostalAddress', [
    element('cbc:StreetName', line1), // BT-35, BT-50
    element('cbc:AdditionalStreetName', line2), // BT-36, BT-51
    element('cbc:CityName', city), // BT-37, BT-52
    element('cbc:PostalZone', postalCode), // BT-38, BT-53
    element('cac:Country', [element('cbc:IdentificationCode', country)]), // BT-40, BT-55
  ]);

const taxScheme = (scheme: 'VAT' | 'FC', number: string | undefined): Element | undefined => {
  const id = element('cbc:CompanyID', number);
  return id && element('cac:PartyTaxScheme', [id, element('cac:TaxScheme', [element('cbc:ID', scheme)])]);
};

const contact = ({ contact: { name, phone, email } }: Party): Element | undefined =>
  element('cac:Contact', [
    element('cbc:Name', name), // BT-41, BT-56
    element('cbc:Telephone', phone), // BT-42, BT-57
    element('cbc:ElectronicMail', email), // BT-43, BT-58
  ]);

const delivery = ({ date, city, postalCode, country }: Delivery): Element | undefined =>
  element('cac:Delivery', [
    element('cbc:ActualDeliveryDate', date), // BT-72
    element('cac:DeliveryLocation', [
      element('cac:Address', [
        element('cbc:CityName', city), // BT-77
        element('cbc:PostalZone', postalCode), // BT-78
        element('cac:Country', [element('cbc:IdentificationCode', country)]), // BT-80
      ]),
    ]),
  ]);

/** A credit note's due date is among its means of payment, which are therefore written even without an account. */
function paymentMeans(invoice: NumberedEInvoice): Element | undefined {
  const dueDate = invoice.typeCode === '381' ? element('cbc:PaymentDueDate', invoice.dueDate) : undefined; // BT-9
  const { payment } = invoice;
  if (!payment && !dueDate) return undefined;
  return element('cac:PaymentMeans', [
    element('cbc:PaymentMeansCode', paymentMeansCode(invoice)), // BT-81
    dueDate,
    element('cbc:PaymentID', payment?.reference), // BT-83
    element('cac:PayeeFinancialAccount', [
      element('cbc:ID', payment?.iban), // BT-84
      element('cbc:Name', payment?.accountName), // BT-85
      element('cac:FinancialInstitutionBranch', [element('cbc:ID', payment?.bic)]), // BT-86
    ]),
  ]);
}

const vat = element('cac:TaxScheme', [element('cbc:ID', 'VAT')]);

const vatBreakdown = (part: VatBreakdown, currency: string): Element | undefined =>
  element('cac:TaxSubtotal', [
    amount('cbc:TaxableAmount', part.net, currency), // BT-116
    amount('cbc:TaxAmount', part.vat, currency), // BT-117
    element('cac:TaxCategory', [
      element('cbc:ID', part.category), // BT-118
      element('cbc:Percent', numberText(part.rate)), // BT-119
      element('cbc:TaxExemptionReason', part.exemptionReason), // BT-120
      vat,
    ]),
  ]);

const line = (item: Line, currency: string, document: Document): Element | undefined =>
  element(document.line, [
    element('cbc:ID', item.id), // BT-126
    element(document.quantity, numberText(item.quantity), { unitCode: item.unitCode }), // BT-129, BT-130
    amount('cbc:LineExtensionAmount', item.net, currency), // BT-131
    period(item.period), // BG-26
    item.discount &&
      element('cac:AllowanceCharge', [
        element('cbc:ChargeIndicator', 'false'),
        element('cbc:AllowanceChargeReasonCode', discountReasonCode), // BT-140
        element('cbc:MultiplierFactorNumeric', numberText(item.discount.percent)), // BT-138
        amount('cbc:Amount', item.discount.amount, currency), // BT-136
        amount('cbc:BaseAmount', item.discount.base, currency), // BT-137
      ]),
    element('cac:Item', [
      element('cbc:Description', item.description), // BT-154
      element('cbc:Name', item.name), // BT-153
      element('cac:ClassifiedTaxCategory', [
        element('cbc:ID', item.vatCategory), // BT-151
        element('cbc:Percent', item.vatCategory === 'O' ? undefined : numberText(item.vatRate)), // BT-152
        vat,
      ]),
    ]),
    element('cac:Price', [
      element('cbc:PriceAmount', numberText(item.unitPrice), { currencyID: currency }), // BT-146
    ]),
  ]);
