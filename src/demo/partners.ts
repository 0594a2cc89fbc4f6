import type { Timeline } from './timeline.ts';
import { domestic, reverseCharge, type Buyer } from './money.ts';

/** The studio's customers and suppliers. Names, addresses and accounts are invented; the domains can't exist. */
export async function makePartners(timeline: Timeline) {
  const customer = async (
    tax: Buyer['tax'],
    iban: string,
    companyName: string,
    { email, ...rest }: Record<'email' | 'buyerReference', string> & Record<string, string>,
  ): Promise<Buyer> => {
    const addresses = { email, electronicAddress: email, electronicAddressScheme: 'EM' };
    const id = await timeline.create('createCustomer', { type: 'CUSTOMER', companyName, ...addresses, ...rest });
    return { id, name: companyName, iban, tax };
  };
  const supplier = async (iban: string, companyName: string, rest: Record<string, string>) => {
    const id = await timeline.create('createCustomer', { type: 'SUPPLIER', companyName, ...rest });
    return { id, name: companyName, iban };
  };
  return {
    bakery: await customer(domestic, 'DE75512108001245126199', 'Bäckerei Sonnenschein GmbH', {
      email: 'buero@sonnenschein.example',
      buyerReference: 'Filiale Kiel',
      addressLine1: 'Marktplatz 4',
      postalCode: '24103',
      city: 'Kiel',
      country: 'DE',
      vatId: 'DE811907980',
    }),
    hotel: await customer(domestic, 'DE12500105170648489890', 'Hotel Seeblick', {
      email: 'verwaltung@hotel-seeblick.example',
      buyerReference: 'HS-4711',
      addressLine1: 'Strandallee 21',
      postalCode: '23669',
      city: 'Timmendorfer Strand',
      country: 'DE',
    }),
    museum: await customer(reverseCharge, 'NL91ABNA0417164300', 'Museum aan de Haven', {
      email: 'inkoop@museumhaven.example',
      buyerReference: 'Inkoop 2031',
      addressLine1: 'Havenkade 12',
      postalCode: '3011 BN',
      city: 'Rotterdam',
      country: 'NL',
      vatId: 'NL004495445B01',
    }),
    bookshop: await customer(reverseCharge, 'AT611904300234573201', 'Buchhandlung Seidl & Töchter', {
      email: 'katalog@seidl-buch.example',
      buyerReference: 'Katalog',
      addressLine1: 'Lerchenfelder Straße 60',
      postalCode: '1080',
      city: 'Wien',
      country: 'AT',
      vatId: 'ATU12345675',
    }),
    publisher: await customer(reverseCharge, 'FR1420041010050500013M02606', 'Éditions du Vieux-Port', {
      email: 'compta@vieux-port.example',
      buyerReference: 'EVP-88',
      addressLine1: '8 quai de Rive Neuve',
      postalCode: '13007',
      city: 'Marseille',
      country: 'FR',
      vatId: 'FR40303265045',
    }),
    printer: await supplier('DE89370400440532013000', 'Druckerei Petersen KG', {
      email: 'rechnung@petersen-druck.example',
      addressLine1: 'Speicherlinie 18',
      postalCode: '24937',
      city: 'Flensburg',
      country: 'DE',
      vatId: 'DE136695976',
    }),
    hosting: await supplier('DE02100500000054540402', 'Hostwerk GmbH', {
      email: 'billing@hostwerk.example',
      city: 'Leipzig',
      country: 'DE',
    }),
    landlord: await supplier('DE02300209000106531065', 'Hafenkontor Immobilien', { city: 'Kiel', country: 'DE' }),
    illustrator: await supplier('FR7630006000011234567890189', 'Marie Laurent, illustration', {
      email: 'marie@laurent-illustration.example',
      city: 'Lyon',
      country: 'FR',
    }),
  };
}

export type Partners = Awaited<ReturnType<typeof makePartners>>;
