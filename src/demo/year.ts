import { pick, type Day, type Timeline } from './timeline.ts';
import { bankTransaction, domestic, invoice, receipt } from './money.ts';
import { scheduleProjects } from './projects.ts';
import type { Partners } from './partners.ts';

/** Schedules a year of the studio's business, up to today. The same day always gives the same year. */
export async function scheduleYear(timeline: Timeline, partners: Partners): Promise<void> {
  const first = timeline.today.with({ day: 1 }).subtract({ months: 12 });
  for (let month = 0; month <= 12; month++) scheduleMonth(timeline, partners, first.add({ months: month }), month);
  await scheduleProjects(timeline, partners, first);
  scheduleRecent(timeline, partners);
}

const formatMonth = (day: Day): string => day.toLocaleString('en', { month: 'long', year: 'numeric' });

/** Schedules the business of a month: recurring invoices and receipts, some of them only every few months. */
function scheduleMonth(timeline: Timeline, partners: Partners, first: Day, month: number): void {
  const { bakery, hotel, bookshop, publisher, printer, hosting, landlord, illustrator } = partners;
  const stamp = first.toPlainYearMonth().toString();
  invoice(timeline, bakery, first, {
    subject: `Design retainer, ${formatMonth(first)}`,
    items: [
      { title: 'Retainer: window, menu, social media', quantity: '1', unit: 'month', unitPriceNet: '640' },
      { title: 'Price labels', quantity: pick(['40', '25', '60'], month), unit: 'pcs', unitPriceNet: '1.2' },
    ],
    paidAfter: pick([9, 12, 7, 15], month),
  });
  receipt(timeline, landlord, first.add({ days: 1 }), {
    amountGross: '720',
    vatRate: '0',
    category: 'Rent',
    receiptNumber: `Miete ${stamp}`,
    paidAfter: 1,
  });
  receipt(timeline, hosting, first.add({ days: 3 }), {
    amountGross: '58.31',
    vatRate: '19',
    category: 'Hosting',
    receiptNumber: `HW-${stamp}`,
    paidAfter: 5,
  });
  if (month % 2 === 1) {
    invoice(timeline, hotel, first.add({ days: 11 }), {
      subject: pick(['Room folders', 'Season flyers', 'Breakfast menus'], month),
      items: [
        { title: 'Layout', quantity: pick(['6.5', '9', '4.25'], month), unit: 'h', unitPriceNet: '88' },
        {
          title: 'Print, supervised',
          quantity: pick(['500', '1200', '300'], month),
          unit: 'pcs',
          unitPriceNet: '0.72',
        },
      ],
      paidAfter: pick([16, 22], month),
    });
    receipt(timeline, printer, first.add({ days: 13 }), {
      amountGross: pick(['385.20', '924.48', '231.12'], month),
      vatRate: '7',
      category: 'Printing',
      receiptNumber: `P-${20_700 + month * 13}`,
      paidAfter: 8,
    });
  }
  if (month % 3 === 2) {
    invoice(timeline, bookshop, first.add({ days: 18 }), {
      subject: `Catalogue ${first.year}/${Math.ceil(first.month / 3)} (reverse charge)`,
      items: [
        { title: 'Catalogue, 32 pages', quantity: '1', unit: 'flat', unitPriceNet: '1850' },
        { title: 'Author portraits', quantity: '6', unit: 'pcs', unitPriceNet: '95' },
      ],
      paidAfter: 24,
      dueAfter: 30,
    });
    receipt(timeline, illustrator, first.add({ days: 20 }), {
      amountGross: '540',
      vatRate: '0',
      category: 'Freelancers',
      receiptNumber: `ML ${stamp}`,
      paidAfter: 6,
    });
  }
  if (month % 4 === 1) {
    invoice(timeline, publisher, first.add({ days: 22 }), {
      subject: 'Book covers (reverse charge)',
      items: [{ title: 'Cover', quantity: pick(['2', '3'], month), unit: 'pcs', unitPriceNet: '780' }],
      paidAfter: 28,
      dueAfter: 30,
    });
  }
  const fees = first.add({ months: 1 }).subtract({ days: 1 });
  timeline.on(fees, async () => {
    const fee = { amount: '-12.9', counterpartyName: 'Fördebank Kiel', reference: `Account fee ${stamp}` };
    await timeline.ask('ignore', { id: await bankTransaction(timeline, fees, fee) });
  });
}

/** Schedules open work of today: overdue, partly paid and cancelled invoices, drafts, and unmatched bank transactions. */
function scheduleRecent(
  timeline: Timeline,
  { hotel, museum, publisher, bookshop, printer, illustrator }: Partners,
): void {
  const { today } = timeline;
  const ago = (days: number): Day => today.subtract({ days });
  invoice(timeline, hotel, ago(41), {
    subject: 'Spa brochure',
    items: [
      { title: 'Concept and layout', quantity: '14', unit: 'h', unitPriceNet: '88' },
      { title: 'Photo licences', quantity: '5', unit: 'pcs', unitPriceNet: '39.5' },
    ],
  });
  invoice(timeline, bookshop, ago(23), {
    subject: 'Shop window, spring (reverse charge)',
    items: [{ title: 'Window design', quantity: '2', unit: 'pcs', unitPriceNet: '1240' }],
    dueAfter: 30,
    paidAfter: 9,
    part: '1240',
  });
  const withdrawn = { id: '' };
  timeline.on(ago(150), async () => {
    withdrawn.id = await timeline.create('createInvoice', {
      customerId: publisher.id,
      invoiceDate: ago(150).toString(),
      subject: 'Poster series',
      status: 'ISSUED',
      items: [{ title: 'Poster', quantity: '4', unit: 'pcs', unitPriceNet: '420', ...domestic }],
    });
  });
  timeline.on(ago(148), () => timeline.ask('cancelInvoice', { id: withdrawn.id }));
  invoice(timeline, publisher, ago(148), {
    subject: 'Poster series, with the right VAT (reverse charge)',
    items: [{ title: 'Poster', quantity: '4', unit: 'pcs', unitPriceNet: '420' }],
    paidAfter: 19,
  });
  invoice(timeline, museum, ago(9), {
    subject: 'Exhibition signs (reverse charge)',
    items: [{ title: 'Sign', quantity: '18', unit: 'pcs', unitPriceNet: '46.5' }],
  });
  for (const [customer, subject, title, price] of [
    [museum, 'Website, newsletter', 'Newsletter template', '1150'],
    [hotel, 'Winter campaign, posters', 'Poster', '640'],
  ] as const) {
    timeline.on(today, () =>
      timeline.create('createInvoice', {
        customerId: customer.id,
        invoiceDate: today.toString(),
        subject,
        items: [{ title, quantity: '1', unit: 'flat', unitPriceNet: price, ...customer.tax }],
      }),
    );
  }

  receipt(timeline, printer, ago(12), {
    amountGross: '136.96',
    vatRate: '7',
    category: 'Printing',
    receiptNumber: 'P-20917',
  });
  receipt(timeline, illustrator, ago(6), {
    amountGross: '360',
    vatRate: '0',
    category: 'Freelancers',
    receiptNumber: 'ML 88',
  });
  for (const [daysAgo, amountGross, description] of [
    [4, '118.9', 'Train to Rotterdam and back'],
    [2, '23.45', 'Paper samples'],
  ] as const) {
    timeline.on(ago(daysAgo), () =>
      timeline.create('createReceipt', {
        receiptDate: ago(daysAgo).toString(),
        amountGross,
        vatRate: '19',
        description,
      }),
    );
  }
  for (const [daysAgo, amount, counterpartyName, reference] of [
    [2, '837', 'Museum aan de Haven', 'Factuur borden'],
    [2, '-136.96', 'Druckerei Petersen KG', 'P-20917'],
    [1, '-23.45', 'Papier Union', 'Card payment'],
    [1, '250', 'Hotel Seeblick', 'Instalment brochure'],
  ] as const) {
    timeline.on(ago(daysAgo), () => bankTransaction(timeline, ago(daysAgo), { amount, counterpartyName, reference }));
  }
}
