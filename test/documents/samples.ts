import type { DocumentLook } from '../../schema/documents/pdf/render-pdf.ts';
import type { EInvoice } from '../../schema/documents/e-invoice/model.ts';
import { buyer, buildInvoice, storableLogo, nameOnly, seller } from './invoices.ts';

const description = 'Aufnahme vor Ort, Skizzen in drei Varianten und Abstimmung mit Ihrer Fertigung.';

const supplies = ['Box beam', 'Cross brace', 'Anchor bolt M16', 'Sealing strip, grey', 'Mounting kit for outdoor use'];

/** Documents to be looked at: what is usual, and what is hard. */
export const samples: Record<string, { invoice: EInvoice; look: DocumentLook }> = {
  'invoice-de': {
    look: {
      language: 'de',
      accentColor: '#175c63',
      logo: await storableLogo(),
      subject: 'Leitsystem für das Verwaltungsgebäude, zweiter Abschnitt',
      footer: 'Vielen Dank für Ihren Auftrag. Es gelten unsere Geschäftsbedingungen in der Fassung vom 1. Januar 2026.',
    },
    invoice: buildInvoice(
      [
        { name: 'Entwurf Leitsystem', description, quantity: '12.5', unit: 'Std.', unitPrice: '110' },
        {
          name: 'Wegweiser, Aluminium, 400 × 120 mm',
          quantity: '24',
          unit: 'Stück',
          unitPrice: '86.40',
          discount: '5',
        },
        {
          name: 'Wartung der Beleuchtung',
          quantity: '1',
          unit: 'Monat',
          unitPrice: '240',
          period: { start: '2026-10-01', end: '2026-10-31' },
        },
        { name: 'Handbuch Gestaltung, 64 Seiten', quantity: '10', unit: 'Stück', unitPrice: '18.5', vatRate: '7' },
      ],
      {
        buyerReference: 'Bestellung 4500123987',
        paymentTerms: 'Zahlbar innerhalb von 14 Tagen ohne Abzug.',
      },
    ),
  },
  'invoice-en': {
    look: { language: 'en', accentColor: '#7a2e8e', subject: 'Delivery 26-118' },
    invoice: buildInvoice(
      Array.from({ length: 46 }, (_, index) => ({
        name: `${supplies[index % supplies.length]} ${index + 1}`,
        ...(index % 7 === 2 && {
          description: 'Galvanised, cut to length. Packed in bundles of twelve, labelled by floor.',
        }),
        quantity: String((index * 7) % 40 || 3),
        unit: 'pcs',
        unitPrice: `${((index * 13.37) % 90).toFixed(2)}`,
        ...(index % 11 === 10
          ? { vatCategory: 'S' as const, vatRate: '19' }
          : { vatCategory: 'K' as const, vatRate: '0' }),
      })),
      {
        buyer: {
          ...buyer,
          name: 'Van der Meulen Bouw B.V.',
          vatId: 'NL123456789B01',
          contact: { name: undefined, phone: undefined, email: undefined },
          address: {
            line1: 'Prinsengracht 263',
            line2: 'Unit 4',
            city: 'Amsterdam',
            postalCode: '1016 GV',
            country: 'NL',
          },
        },
        delivery: { date: '2026-11-18', period: undefined, city: 'Amsterdam', postalCode: '1016 GV', country: 'NL' },
        payment: { reference: '2026-0042', iban: 'DE75512108001245126199', accountName: seller.name, bic: undefined },
      },
      '5000',
    ),
  },
  'credit-note-de': {
    look: { language: 'de', accentColor: '#b3541e', logo: await storableLogo() },
    invoice: buildInvoice(
      [
        {
          name: 'Wegweiser, Aluminium eloxiert',
          quantity: '2',
          unit: 'Stück',
          unitPrice: '86.40',
          description: 'Zwei Stück mit Lackschaden zurückgenommen',
        },
      ],
      {
        number: 'GS-2026-0003',
        typeCode: '381',
        dueDate: undefined,
        precedingInvoice: { number: '2026-0042', issueDate: '2026-11-22' },
      },
    ),
  },
  'draft-scripts': {
    look: { language: 'de', accentColor: '#ffd400' },
    invoice: buildInvoice(
      [
        {
          name: 'Übersetzung שלום עולם ins Deutsche',
          description: 'תרגום של 12 עמודים, כולל הגהה (2026).',
          quantity: '12',
          unit: 'Seiten',
          unitPrice: '45',
        },
        {
          name: 'خدمات الترجمة والتدقيق اللغوي',
          description: 'ترجمة ١٢ صفحة من العربية إلى الألمانية، بسعر 45.00 لكل صفحة.',
          unitPrice: '45',
          vatCategory: 'E',
          reason: 'Steuerfrei nach § 4 Nr. 21 UStG',
        },
        {
          name: 'Aufkleber 😀 👩‍💻 🇩🇪 für 漢字-Schild',
          description: 'Ελληνικά, Кириллица, tiếng Việt, ½ ≠ ⅓',
          quantity: '3',
          unit: 'Stück',
          unitPrice: '9.99',
          vatCategory: 'AE',
        },
        {
          name: 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'
            .repeat(3)
            .slice(0, 200),
          unitPrice: '123456789012.34',
          quantity: '1',
        },
      ],
      { number: undefined, seller: nameOnly('Kontor Demo'), buyer: nameOnly('Hans Meiser'), payment: undefined },
    ),
  },
};
