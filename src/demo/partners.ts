import type { Timeline } from './timeline.ts';
import type { Buyer } from './money.ts';

/** The studio's customers and suppliers. Names, addresses and accounts are invented; the domains can't exist. */
export async function makePartners(timeline: Timeline) {
  const customer = async (
    vatRate: string,
    iban: string,
    companyName: string,
    rest: Record<string, string>,
  ): Promise<Buyer> => {
    const id = await timeline.create('createCustomer', { type: 'CUSTOMER', companyName, ...rest });
    return { id, name: companyName, iban, vatRate };
  };
  const supplier = async (iban: string, companyName: string, rest: Record<string, string>) => {
    const id = await timeline.create('createCustomer', { type: 'SUPPLIER', companyName, ...rest });
    return { id, name: companyName, iban };
  };
  return {
    bakery: await customer('19', 'DE75512108001245126199', 'Bäckerei Sonnenschein GmbH', {
      email: 'buero@sonnenschein.example',
      addressLine1: 'Marktplatz 4',
      postalCode: '24103',
      city: 'Kiel',
      country: 'DE',
      vatId: 'DE811907980',
    }),
    hotel: await customer('19', 'DE12500105170648489890', 'Hotel Seeblick', {
      email: 'verwaltung@hotel-seeblick.example',
      addressLine1: 'Strandallee 21',
      postalCode: '23669',
      city: 'Timmendorfer Strand',
      country: 'DE',
    }),
    museum: await customer('0', 'NL91ABNA0417164300', 'Museum aan de Haven', {
      email: 'inkoop@museumhaven.example',
      addressLine1: 'Havenkade 12',
      postalCode: '3011 BN',
      city: 'Rotterdam',
      country: 'NL',
      vatId: 'NL004495445B01',
    }),
    bookshop: await customer('0', 'AT611904300234573201', 'Buchhandlung Seidl & Töchter', {
      email: 'katalog@seidl-buch.example',
      addressLine1: 'Lerchenfelder Straße 60',
      postalCode: '1080',
      city: 'Wien',
      country: 'AT',
      vatId: 'ATU12345675',
    }),
    publisher: await customer('0', 'FR1420041010050500013M02606', 'Éditions du Vieux-Port', {
      email: 'compta@vieux-port.example',
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
