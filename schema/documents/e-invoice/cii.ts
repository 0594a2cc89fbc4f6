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
import { element, requiredElement, xmlDocument, type Element } from './xml.ts';

// Elements stand in the order that the schema of the syntax demands. The numbers are EN 16931's business terms.

const namespaces = {
  'xmlns:rsm': 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100',
  'xmlns:ram': 'urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100',
  'xmlns:qdt': 'urn:un:unece:uncefact:data:standard:QualifiedDataType:100',
  'xmlns:udt': 'urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100',
};

/** A prepared invoice as Cross Industry Invoice D16B: a whole XML document. See `toXml()`. */
export const toCii = (invoice: NumberedEInvoice, profile: Profile): string =>
  xmlDocument({
    name: 'rsm:CrossIndustryInvoice',
    attributes: namespaces,
    content: [
      requiredElement('rsm:ExchangedDocumentContext', [
        element('ram:BusinessProcessSpecifiedDocumentContextParameter', [element('ram:ID', profile.process)]), // BT-23
        element('ram:GuidelineSpecifiedDocumentContextParameter', [element('ram:ID', profile.specification)]), // BT-24
      ]),
      requiredElement('rsm:ExchangedDocument', [
        element('ram:ID', invoice.number), // BT-1
        element('ram:TypeCode', invoice.typeCode), // BT-3
        element('ram:IssueDateTime', [day(invoice.issueDate)]), // BT-2
        ...invoice.notes.map((note) => element('ram:IncludedNote', [element('ram:Content', note)])), // BG-1, BT-22
      ]),
      requiredElement('rsm:SupplyChainTradeTransaction', [
        ...invoice.lines.map((item) => line(item, invoice.currency)), // BG-25
        element('ram:ApplicableHeaderTradeAgreement', [
          element('ram:BuyerReference', invoice.buyerReference), // BT-10
          seller(invoice.seller), // BG-4
          buyer(invoice.buyer), // BG-7
        ]),
        requiredElement('ram:ApplicableHeaderTradeDelivery', delivery(invoice.delivery)),
        element('ram:ApplicableHeaderTradeSettlement', settlement(invoice)),
      ]),
    ],
  });

/** A date, in format 102: YYYYMMDD. */
const day = (date: string | undefined, prefix: 'udt' | 'qdt' = 'udt'): Element | undefined =>
  element(`${prefix}:DateTimeString`, date?.replaceAll('-', ''), { format: '102' });

const period = (dates: Period | undefined): Element | undefined =>
  element('ram:BillingSpecifiedPeriod', [
    element('ram:StartDateTime', [day(dates?.start)]), // BT-73, BT-134
    element('ram:EndDateTime', [day(dates?.end)]), // BT-74, BT-135
  ]);

const seller = (party: Seller): Element | undefined =>
  element('ram:SellerTradeParty', [
    element('ram:ID', sellerIdentifier(party)), // BT-29
    element('ram:Name', party.name), // BT-27
    element('ram:Description', legalInformation(party)), // BT-33
    element('ram:SpecifiedLegalOrganization', [legalId(party)]), // BT-30
    ...contactAndAddress(party), // BG-6, BG-5, BT-34
    taxRegistration('VA', party.vatId), // BT-31
    taxRegistration('FC', party.taxNumber), // BT-32
  ]);

const legalId = (party: Seller): Element | undefined => {
  const { value, scheme } = legalRegistration(party) ?? {};
  return element('ram:ID', value, scheme === undefined ? {} : { schemeID: scheme });
};

const buyer = (party: Buyer): Element | undefined =>
  element('ram:BuyerTradeParty', [
    element('ram:Name', party.name), // BT-44
    ...contactAndAddress(party), // BG-9, BG-8, BT-49
    taxRegistration('VA', party.vatId), // BT-48
  ]);

const taxRegistration = (scheme: 'VA' | 'FC', number: string | undefined): Element | undefined =>
  element('ram:SpecifiedTaxRegistration', [element('ram:ID', number, { schemeID: scheme })]);

const contactAndAddress = ({ contact, address, electronicAddress }: Party): (Element | undefined)[] => [
  element('ram:DefinedTradeContact', [
    element('ram:PersonName', contact.name), // BT-41, BT-56
    element('ram:TelephoneUniversalCommunication', [element('ram:CompleteNumber', contact.phone)]), // BT-42, BT-57
    element('ram:EmailURIUniversalCommunication', [element('ram:URIID', contact.email)]), // BT-43, BT-58
  ]),
  element('ram:PostalTradeAddress', [
    element('ram:PostcodeCode', address.postalCode), // BT-38, BT-53
    element('ram:LineOne', address.line1), // BT-35, BT-50
    element('ram:LineTwo', address.line2), // BT-36, BT-51
    element('ram:CityName', address.city), // BT-37, BT-52
    element('ram:CountryID', address.country), // BT-40, BT-55
  ]),
  electronicAddress &&
    element('ram:URIUniversalCommunication', [
      element('ram:URIID', electronicAddress.value, { schemeID: electronicAddress.scheme }), // BT-34, BT-49
    ]),
];

const delivery = ({ city, postalCode, country, date }: Delivery): (Element | undefined)[] => [
  element('ram:ShipToTradeParty', [
    element('ram:PostalTradeAddress', [
      element('ram:PostcodeCode', postalCode), // BT-78
      element('ram:CityName', city), // BT-77
      element('ram:CountryID', country), // BT-80
    ]),
  ]),
  element('ram:ActualDeliverySupplyChainEvent', [element('ram:OccurrenceDateTime', [day(date)])]), // BT-72
];

function settlement(invoice: NumberedEInvoice): (Element | undefined)[] {
  const { payment, currency, accounting, totals, precedingInvoice } = invoice;
  const vatTotal = (value: typeof totals.net, inCurrency: string): Element | undefined =>
    element('ram:TaxTotalAmount', amountText(value, inCurrency), { currencyID: inCurrency });
  const amount = (name: string, value: typeof totals.net): Element | undefined =>
    element(name, amountText(value, currency));
  return [
    element('ram:PaymentReference', payment?.reference), // BT-83
    element('ram:TaxCurrencyCode', accounting?.currency), // BT-6
    element('ram:InvoiceCurrencyCode', currency), // BT-5
    payment &&
      element('ram:SpecifiedTradeSettlementPaymentMeans', [
        element('ram:TypeCode', paymentMeansCode(invoice)), // BT-81
        element('ram:PayeePartyCreditorFinancialAccount', [
          element('ram:IBANID', payment.iban), // BT-84
          element('ram:AccountName', payment.accountName), // BT-85
        ]),
        element('ram:PayeeSpecifiedCreditorFinancialInstitution', [element('ram:BICID', payment.bic)]), // BT-86
      ]),
    ...invoice.vatBreakdown.map((part) => vatBreakdown(part, currency)), // BG-23
    period(invoice.delivery.period), // BG-14
    element('ram:SpecifiedTradePaymentTerms', [
      element('ram:Description', invoice.paymentTerms), // BT-20
      element('ram:DueDateDateTime', [day(invoice.dueDate)]), // BT-9
    ]),
    element('ram:SpecifiedTradeSettlementHeaderMonetarySummation', [
      amount('ram:LineTotalAmount', totals.net), // BT-106
      amount('ram:TaxBasisTotalAmount', totals.net), // BT-109
      vatTotal(totals.vat, currency), // BT-110
      accounting && vatTotal(accounting.vat, accounting.currency), // BT-111
      amount('ram:GrandTotalAmount', totals.gross), // BT-112
      amount('ram:TotalPrepaidAmount', totals.paid), // BT-113
      amount('ram:DuePayableAmount', totals.due), // BT-115
    ]),
    precedingInvoice &&
      element('ram:InvoiceReferencedDocument', [
        element('ram:IssuerAssignedID', precedingInvoice.number), // BT-25
        element('ram:FormattedIssueDateTime', [day(precedingInvoice.issueDate, 'qdt')]), // BT-26
      ]),
  ];
}

const vatBreakdown = (part: VatBreakdown, currency: string): Element | undefined =>
  element('ram:ApplicableTradeTax', [
    element('ram:CalculatedAmount', amountText(part.vat, currency)), // BT-117
    element('ram:TypeCode', 'VAT'),
    element('ram:ExemptionReason', part.exemptionReason), // BT-120
    element('ram:BasisAmount', amountText(part.net, currency)), // BT-116
    element('ram:CategoryCode', part.category), // BT-118
    element('ram:RateApplicablePercent', numberText(part.rate)), // BT-119
  ]);

const line = (item: Line, currency: string): Element | undefined =>
  element('ram:IncludedSupplyChainTradeLineItem', [
    element('ram:AssociatedDocumentLineDocument', [element('ram:LineID', item.id)]), // BT-126
    element('ram:SpecifiedTradeProduct', [
      element('ram:Name', item.name), // BT-153
      element('ram:Description', item.description), // BT-154
    ]),
    element('ram:SpecifiedLineTradeAgreement', [
      element('ram:NetPriceProductTradePrice', [element('ram:ChargeAmount', numberText(item.unitPrice))]), // BT-146
    ]),
    element('ram:SpecifiedLineTradeDelivery', [
      element('ram:BilledQuantity', numberText(item.quantity), { unitCode: item.unitCode }), // BT-129, BT-130
    ]),
    element('ram:SpecifiedLineTradeSettlement', [
      element('ram:ApplicableTradeTax', [
        element('ram:TypeCode', 'VAT'),
        element('ram:CategoryCode', item.vatCategory), // BT-151
        element('ram:RateApplicablePercent', item.vatCategory === 'O' ? undefined : numberText(item.vatRate)), // BT-152
      ]),
      period(item.period), // BG-26
      item.discount &&
        element('ram:SpecifiedTradeAllowanceCharge', [
          element('ram:ChargeIndicator', [element('udt:Indicator', 'false')]),
          element('ram:CalculationPercent', numberText(item.discount.percent)), // BT-138
          element('ram:BasisAmount', amountText(item.discount.base, currency)), // BT-137
          element('ram:ActualAmount', amountText(item.discount.amount, currency)), // BT-136
          element('ram:ReasonCode', discountReasonCode), // BT-140
        ]),
      element('ram:SpecifiedTradeSettlementLineMonetarySummation', [
        element('ram:LineTotalAmount', amountText(item.net, currency)), // BT-131
      ]),
    ]),
  ]);
