import { SaxesParser } from 'saxes';

// Reads an e-invoice back, by what the standards say of CII and UBL, and by nothing of Kontor's own code. It is strict: an
// element that it doesn't expect, or one out of order, is an error.

interface Node {
  uri: string;
  name: string;
  attributes: Record<string, string>;
  children: Node[];
  text: string;
}

/** Parses a document with namespaces. Prefixes are lost: an element is known by its namespace. */
export function parse(xml: string): Node {
  const parser = new SaxesParser({ xmlns: true });
  const root: Node = { uri: '', name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ uri, local, attributes }) => {
    const plain = Object.values(attributes).filter((attribute) => attribute.uri !== 'http://www.w3.org/2000/xmlns/');
    const node: Node = {
      uri,
      name: local,
      attributes: Object.fromEntries(plain.map((attribute) => [attribute.local, attribute.value])),
      children: [],
      text: '',
    };
    open.at(-1)?.children.push(node);
    open.push(node);
  });
  parser.on('text', (text) => {
    const node = open.at(-1);
    if (node) node.text += text;
  });
  parser.on('closetag', () => void open.pop());
  parser.write(xml).close();
  const [document] = root.children;
  if (!document) throw new Error('The document is empty');
  return document;
}

/** Takes the children of an element in their order. What isn't taken is an error. */
class Sequence {
  #rest: Node[];
  readonly #node: Node;
  readonly #uris: Record<string, string>;

  constructor(node: Node, uris: Record<string, string>) {
    this.#node = node;
    this.#uris = uris;
    this.#rest = node.children;
    if (node.children.length > 0 && node.text.trim() !== '') throw new Error(`${node.name} mixes text and elements`);
  }

  /** The next child if it has this name. */
  #take(path: string): Node | undefined {
    const [prefix = '', name] = path.split(':');
    const [next, ...rest] = this.#rest;
    if (next?.name !== name || next?.uri !== this.#uris[prefix]) return undefined;
    this.#rest = rest;
    return next;
  }

  /** Reads the next child, if it has this name, as a group of elements. */
  group<T>(path: string, read: (sequence: Sequence) => T): T | undefined {
    const node = this.#take(path);
    if (!node) return undefined;
    const sequence = new Sequence(node, this.#uris);
    const result = read(sequence);
    sequence.end();
    return result;
  }

  /** Reads all next children with this name as groups. */
  groups<T>(path: string, read: (sequence: Sequence) => T): T[] {
    const results: T[] = [];
    for (;;) {
      const { length } = this.#rest;
      const result = this.group(path, read);
      if (this.#rest.length === length || result === undefined) return results;
      results.push(result);
    }
  }

  /** The text of the next child if it has this name. Its attributes must be these. */
  text(path: string, attributes: Record<string, string> = {}): string | undefined {
    const leaf = this.leaf(path);
    if (!leaf) return undefined;
    const [found, expected] = [leaf.attributes, attributes].map((each) => JSON.stringify(each));
    if (found !== expected) throw new Error(`${path} has the attributes ${found}, not ${expected}`);
    return leaf.text;
  }

  texts(path: string): string[] {
    const results: string[] = [];
    for (let text = this.text(path); text !== undefined; text = this.text(path)) results.push(text);
    return results;
  }

  leaf(path: string): { text: string; attributes: Record<string, string> } | undefined {
    const node = this.#take(path);
    if (node && node.children.length > 0) throw new Error(`${path} has elements`);
    if (node?.text.trim() === '') throw new Error(`${path} is empty`);
    return node;
  }

  end(): void {
    const [next] = this.#rest;
    if (next) throw new Error(`${this.#node.name} has an unexpected ${next.name}`);
  }
}

/** The content of a document: texts as written, numbers as texts, days as YYYY-MM-DD. */
export type Meaning = ReturnType<typeof readCii>;

/** Something must be there. */
function must<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`${what} is missing`);
  return value;
}

/** Nothing at all is the same as an object of nothing. */
const omitEmpty = <T extends object>(group: T | undefined): T | undefined =>
  group && Object.values(group).some((value) => value !== undefined) ? group : undefined;

const cii = {
  rsm: 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100',
  ram: 'urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100',
  udt: 'urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100',
  qdt: 'urn:un:unece:uncefact:data:standard:QualifiedDataType:100',
};

const ciiDay = (sequence: Sequence, type = 'udt'): string => {
  const text = must(sequence.text(`${type}:DateTimeString`, { format: '102' }), 'A date');
  const [, year, month, day] = must(/^(\d{4})(\d{2})(\d{2})$/.exec(text) ?? undefined, 'A date in format 102');
  return `${year}-${month}-${day}`;
};

const ciiPeriod = (sequence: Sequence) =>
  sequence.group('ram:BillingSpecifiedPeriod', (dates) => ({
    start: must(
      dates.group('ram:StartDateTime', (each) => ciiDay(each)),
      'The start',
    ),
    end: must(
      dates.group('ram:EndDateTime', (each) => ciiDay(each)),
      'The end',
    ),
  }));

/** A registration number, with its scheme if it has one. */
const readRegistration = (leaf: ReturnType<Sequence['leaf']>) =>
  leaf && { value: leaf.text, scheme: leaf.attributes['schemeID'] };

const ciiParty = (party: Sequence) => ({
  identifier: party.text('ram:ID'),
  name: must(party.text('ram:Name'), 'The name'),
  legalInformation: party.text('ram:Description'),
  registration: party.group('ram:SpecifiedLegalOrganization', (each) => readRegistration(each.leaf('ram:ID'))),
  contact: omitEmpty(
    party.group('ram:DefinedTradeContact', (contact) => ({
      name: contact.text('ram:PersonName'),
      phone: contact.group('ram:TelephoneUniversalCommunication', (each) => each.text('ram:CompleteNumber')),
      email: contact.group('ram:EmailURIUniversalCommunication', (each) => each.text('ram:URIID')),
    })),
  ),
  address: omitEmpty(
    party.group('ram:PostalTradeAddress', (address) => ({
      postalCode: address.text('ram:PostcodeCode'),
      line1: address.text('ram:LineOne'),
      line2: address.text('ram:LineTwo'),
      city: address.text('ram:CityName'),
      country: address.text('ram:CountryID'),
    })),
  ),
  electronicAddress: party.group('ram:URIUniversalCommunication', (each) => {
    const { text, attributes } = must(each.leaf('ram:URIID'), 'The address');
    return { value: text, scheme: must(attributes['schemeID'], 'The scheme') };
  }),
  taxNumbers: party.groups('ram:SpecifiedTaxRegistration', (each) => {
    const { text, attributes } = must(each.leaf('ram:ID'), 'The number');
    return { number: text, scheme: { VA: 'VAT', FC: 'FC' }[attributes['schemeID'] ?? ''] };
  }),
});

const ciiLine = (line: Sequence) => ({
  id: line.group('ram:AssociatedDocumentLineDocument', (each) => each.text('ram:LineID')),
  ...line.group('ram:SpecifiedTradeProduct', (product) => ({
    name: product.text('ram:Name'),
    description: product.text('ram:Description'),
  })),
  unitPrice: line.group('ram:SpecifiedLineTradeAgreement', (agreement) =>
    agreement.group('ram:NetPriceProductTradePrice', (price) => price.text('ram:ChargeAmount')),
  ),
  ...line.group('ram:SpecifiedLineTradeDelivery', (delivery) => {
    const { text, attributes } = must(delivery.leaf('ram:BilledQuantity'), 'The quantity');
    return { quantity: text, unitCode: attributes['unitCode'] };
  }),
  ...line.group('ram:SpecifiedLineTradeSettlement', (settlement) => ({
    ...settlement.group('ram:ApplicableTradeTax', (tax) => {
      if (tax.text('ram:TypeCode') !== 'VAT') throw new Error('The tax is not VAT');
      return { vatCategory: tax.text('ram:CategoryCode'), vatRate: tax.text('ram:RateApplicablePercent') };
    }),
    period: ciiPeriod(settlement),
    discount: settlement.group('ram:SpecifiedTradeAllowanceCharge', (allowance) => {
      const isCharge = allowance.group('ram:ChargeIndicator', (each) => each.text('udt:Indicator'));
      if (isCharge !== 'false') throw new Error('It is a charge');
      return {
        percent: allowance.text('ram:CalculationPercent'),
        base: allowance.text('ram:BasisAmount'),
        amount: allowance.text('ram:ActualAmount'),
        reasonCode: allowance.text('ram:ReasonCode'),
      };
    }),
    net: settlement.group('ram:SpecifiedTradeSettlementLineMonetarySummation', (sum) =>
      sum.text('ram:LineTotalAmount'),
    ),
  })),
});

/** Reads a Cross Industry Invoice. */
export function readCii(xml: string) {
  const root = parse(xml);
  if (root.uri !== cii.rsm || root.name !== 'CrossIndustryInvoice') throw new Error('It is no Cross Industry Invoice');
  const document = new Sequence(root, cii);
  const context = document.group('rsm:ExchangedDocumentContext', (each) => ({
    process: each.group('ram:BusinessProcessSpecifiedDocumentContextParameter', (id) => id.text('ram:ID')),
    specification: each.group('ram:GuidelineSpecifiedDocumentContextParameter', (id) => id.text('ram:ID')),
  }));
  const head = document.group('rsm:ExchangedDocument', (each) => ({
    number: each.text('ram:ID'),
    typeCode: each.text('ram:TypeCode'),
    issueDate: each.group('ram:IssueDateTime', (date) => ciiDay(date)),
    notes: each.groups('ram:IncludedNote', (note) => note.text('ram:Content')),
  }));
  const transaction = document.group('rsm:SupplyChainTradeTransaction', (each) => ({
    lines: each.groups('ram:IncludedSupplyChainTradeLineItem', ciiLine),
    ...each.group('ram:ApplicableHeaderTradeAgreement', (agreement) => ({
      buyerReference: agreement.text('ram:BuyerReference'),
      seller: agreement.group('ram:SellerTradeParty', ciiParty),
      buyer: agreement.group('ram:BuyerTradeParty', ciiParty),
    })),
    ...must(
      each.group('ram:ApplicableHeaderTradeDelivery', (delivery) => ({
        deliveryAddress: delivery.group('ram:ShipToTradeParty', (party) =>
          party.group('ram:PostalTradeAddress', (address) => ({
            postalCode: address.text('ram:PostcodeCode'),
            city: address.text('ram:CityName'),
            country: address.text('ram:CountryID'),
          })),
        ),
        deliveryDate: delivery.group('ram:ActualDeliverySupplyChainEvent', (event) =>
          event.group('ram:OccurrenceDateTime', (date) => ciiDay(date)),
        ),
      })),
      'The delivery',
    ),
    ...must(each.group('ram:ApplicableHeaderTradeSettlement', ciiSettlement), 'The settlement'),
  }));
  document.end();
  return { ...must(context, 'The context'), ...must(head, 'The document'), ...must(transaction, 'The transaction') };
}

const ciiSettlement = (settlement: Sequence) => {
  const reference = settlement.text('ram:PaymentReference');
  const accountingCurrency = settlement.text('ram:TaxCurrencyCode');
  const currency = must(settlement.text('ram:InvoiceCurrencyCode'), 'The currency');
  return {
    reference,
    currency,
    accountingCurrency,
    payment: settlement.group('ram:SpecifiedTradeSettlementPaymentMeans', (means) => ({
      code: means.text('ram:TypeCode'),
      ...must(
        means.group('ram:PayeePartyCreditorFinancialAccount', (account) => ({
          iban: account.text('ram:IBANID'),
          accountName: account.text('ram:AccountName'),
        })),
        'The account',
      ),
      bic: means.group('ram:PayeeSpecifiedCreditorFinancialInstitution', (bank) => bank.text('ram:BICID')),
    })),
    vatBreakdown: settlement.groups('ram:ApplicableTradeTax', (tax) => {
      const vat = tax.text('ram:CalculatedAmount');
      if (tax.text('ram:TypeCode') !== 'VAT') throw new Error('The tax is not VAT');
      return {
        vat,
        exemptionReason: tax.text('ram:ExemptionReason'),
        net: tax.text('ram:BasisAmount'),
        category: tax.text('ram:CategoryCode'),
        rate: tax.text('ram:RateApplicablePercent'),
      };
    }),
    period: ciiPeriod(settlement),
    ...settlement.group('ram:SpecifiedTradePaymentTerms', (terms) => ({
      paymentTerms: terms.text('ram:Description'),
      dueDate: terms.group('ram:DueDateDateTime', (date) => ciiDay(date)),
    })),
    totals: must(
      settlement.group('ram:SpecifiedTradeSettlementHeaderMonetarySummation', (sums) => ({
        lines: sums.text('ram:LineTotalAmount'),
        net: sums.text('ram:TaxBasisTotalAmount'),
        vat: sums.text('ram:TaxTotalAmount', { currencyID: currency }),
        accountingVat: accountingCurrency && sums.text('ram:TaxTotalAmount', { currencyID: accountingCurrency }),
        gross: sums.text('ram:GrandTotalAmount'),
        paid: sums.text('ram:TotalPrepaidAmount'),
        due: sums.text('ram:DuePayableAmount'),
      })),
      'The totals',
    ),
    precedingInvoice: settlement.group('ram:InvoiceReferencedDocument', (preceding) => ({
      number: preceding.text('ram:IssuerAssignedID'),
      issueDate: preceding.group('ram:FormattedIssueDateTime', (date) => ciiDay(date, 'qdt')),
    })),
  };
};

const ubl = {
  cac: 'urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2',
  cbc: 'urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2',
};

const ublPeriod = (sequence: Sequence) =>
  sequence.group('cac:InvoicePeriod', (dates) => ({
    start: must(dates.text('cbc:StartDate'), 'The start'),
    end: must(dates.text('cbc:EndDate'), 'The end'),
  }));

const ublCountry = (address: Sequence) =>
  address.group('cac:Country', (country) => country.text('cbc:IdentificationCode'));

const ublParty = (outer: Sequence) =>
  must(
    outer.group('cac:Party', (party) => ({
      electronicAddress: ((endpoint) =>
        endpoint && { value: endpoint.text, scheme: must(endpoint.attributes['schemeID'], 'The scheme') })(
        party.leaf('cbc:EndpointID'),
      ),
      identifier: party.group('cac:PartyIdentification', (each) => each.text('cbc:ID')),
      address: omitEmpty(
        party.group('cac:PostalAddress', (address) => ({
          line1: address.text('cbc:StreetName'),
          line2: address.text('cbc:AdditionalStreetName'),
          city: address.text('cbc:CityName'),
          postalCode: address.text('cbc:PostalZone'),
          country: ublCountry(address),
        })),
      ),
      taxNumbers: party.groups('cac:PartyTaxScheme', (each) => ({
        number: must(each.text('cbc:CompanyID'), 'The number'),
        scheme: each.group('cac:TaxScheme', (scheme) => scheme.text('cbc:ID')),
      })),
      ...must(
        party.group('cac:PartyLegalEntity', (entity) => ({
          name: must(entity.text('cbc:RegistrationName'), 'The name'),
          registration: readRegistration(entity.leaf('cbc:CompanyID')),
          legalInformation: entity.text('cbc:CompanyLegalForm'),
        })),
        'The legal entity',
      ),
      contact: omitEmpty(
        party.group('cac:Contact', (contact) => ({
          name: contact.text('cbc:Name'),
          phone: contact.text('cbc:Telephone'),
          email: contact.text('cbc:ElectronicMail'),
        })),
      ),
    })),
    'The party',
  );

const ublCategory = (category: Sequence) => {
  const result = { category: category.text('cbc:ID'), rate: category.text('cbc:Percent') };
  const exemptionReason = category.text('cbc:TaxExemptionReason');
  if (category.group('cac:TaxScheme', (scheme) => scheme.text('cbc:ID')) !== 'VAT') throw new Error('It is not VAT');
  return { ...result, exemptionReason };
};

/** A code between the first two number signs is the note's subject (BT-21), and no part of its text. */
const ublNote = (text: string): string => text.replace(/^#[A-Z]{3}#/, '');

/** Reads an Invoice or a CreditNote in UBL 2.1. */
export function readUbl(xml: string): Meaning {
  const root = parse(xml);
  const isCreditNote = root.name === 'CreditNote';
  if (root.uri !== `urn:oasis:names:specification:ubl:schema:xsd:${isCreditNote ? 'CreditNote' : 'Invoice'}-2`)
    throw new Error('It is no invoice in UBL');
  const document = new Sequence(root, ubl);
  const head = {
    specification: document.text('cbc:CustomizationID'),
    process: document.text('cbc:ProfileID'),
    number: document.text('cbc:ID'),
    issueDate: document.text('cbc:IssueDate'),
    dueDate: isCreditNote ? undefined : document.text('cbc:DueDate'),
    typeCode: document.text(isCreditNote ? 'cbc:CreditNoteTypeCode' : 'cbc:InvoiceTypeCode'),
    notes: document.texts('cbc:Note').map(ublNote),
  };
  const currency = must(document.text('cbc:DocumentCurrencyCode'), 'The currency');
  const accountingCurrency = document.text('cbc:TaxCurrencyCode');
  const inCurrency = { currencyID: currency };
  const buyerReference = document.text('cbc:BuyerReference');
  const period = ublPeriod(document);
  const precedingInvoice = document.group('cac:BillingReference', (reference) =>
    reference.group('cac:InvoiceDocumentReference', (preceding) => ({
      number: preceding.text('cbc:ID'),
      issueDate: preceding.text('cbc:IssueDate'),
    })),
  );
  const seller = document.group('cac:AccountingSupplierParty', ublParty);
  const buyer = document.group('cac:AccountingCustomerParty', ublParty);
  const delivery = document.group('cac:Delivery', (each) => ({
    deliveryDate: each.text('cbc:ActualDeliveryDate'),
    deliveryAddress: each.group('cac:DeliveryLocation', (location) =>
      location.group('cac:Address', (address) => ({
        city: address.text('cbc:CityName'),
        postalCode: address.text('cbc:PostalZone'),
        country: ublCountry(address),
      })),
    ),
  }));
  const means = document.group('cac:PaymentMeans', (each) => ({
    code: each.text('cbc:PaymentMeansCode'),
    dueDate: each.text('cbc:PaymentDueDate'),
    reference: each.text('cbc:PaymentID'),
    account: each.group('cac:PayeeFinancialAccount', (account) => ({
      iban: account.text('cbc:ID'),
      accountName: account.text('cbc:Name'),
      bic: account.group('cac:FinancialInstitutionBranch', (bank) => bank.text('cbc:ID')),
    })),
  }));
  const paymentTerms = document.group('cac:PaymentTerms', (terms) => terms.text('cbc:Note'));
  const tax = must(
    document.group('cac:TaxTotal', (total) => ({
      vat: total.text('cbc:TaxAmount', inCurrency),
      vatBreakdown: total.groups('cac:TaxSubtotal', (part) => ({
        net: part.text('cbc:TaxableAmount', inCurrency),
        vat: part.text('cbc:TaxAmount', inCurrency),
        ...must(part.group('cac:TaxCategory', ublCategory), 'The category'),
      })),
    })),
    'The tax total',
  );
  const accountingVat = document.group('cac:TaxTotal', (total) =>
    total.text('cbc:TaxAmount', { currencyID: must(accountingCurrency, 'The accounting currency') }),
  );
  const totals = must(
    document.group('cac:LegalMonetaryTotal', (sums) => ({
      lines: sums.text('cbc:LineExtensionAmount', inCurrency),
      net: sums.text('cbc:TaxExclusiveAmount', inCurrency),
      vat: tax.vat,
      accountingVat,
      gross: sums.text('cbc:TaxInclusiveAmount', inCurrency),
      paid: sums.text('cbc:PrepaidAmount', inCurrency),
      due: sums.text('cbc:PayableAmount', inCurrency),
    })),
    'The totals',
  );
  const lines = document.groups(isCreditNote ? 'cac:CreditNoteLine' : 'cac:InvoiceLine', (line) => {
    const id = line.text('cbc:ID');
    const quantity = line.leaf(isCreditNote ? 'cbc:CreditedQuantity' : 'cbc:InvoicedQuantity');
    const net = line.text('cbc:LineExtensionAmount', inCurrency);
    const linePeriod = ublPeriod(line);
    const discount = line.group('cac:AllowanceCharge', (allowance) => {
      if (allowance.text('cbc:ChargeIndicator') !== 'false') throw new Error('It is a charge');
      return {
        reasonCode: allowance.text('cbc:AllowanceChargeReasonCode'),
        percent: allowance.text('cbc:MultiplierFactorNumeric'),
        amount: allowance.text('cbc:Amount', inCurrency),
        base: allowance.text('cbc:BaseAmount', inCurrency),
      };
    });
    const item = must(
      line.group('cac:Item', (each) => {
        const description = each.text('cbc:Description');
        const name = each.text('cbc:Name');
        const { category, rate } = must(each.group('cac:ClassifiedTaxCategory', ublCategory), 'The category');
        return { name, description, vatCategory: category, vatRate: rate };
      }),
      'The item',
    );
    const unitPrice = line.group('cac:Price', (price) => price.text('cbc:PriceAmount', inCurrency));
    return {
      id,
      quantity: quantity?.text,
      unitCode: quantity?.attributes['unitCode'],
      net,
      period: linePeriod,
      discount,
      ...item,
      unitPrice,
    };
  });
  document.end();
  return {
    ...head,
    dueDate: head.dueDate ?? means?.dueDate,
    currency,
    accountingCurrency,
    buyerReference,
    period,
    precedingInvoice,
    seller,
    buyer,
    deliveryDate: delivery?.deliveryDate,
    deliveryAddress: delivery?.deliveryAddress,
    reference: means?.reference,
    // 1 stands for no means of payment in particular: a credit note's due date needs some.
    payment:
      means?.account || means?.code !== '1'
        ? means && {
            code: means.code,
            iban: means.account?.iban,
            accountName: means.account?.accountName,
            bic: means.account?.bic,
          }
        : undefined,
    paymentTerms,
    vatBreakdown: tax.vatBreakdown,
    totals,
    lines,
  };
}
