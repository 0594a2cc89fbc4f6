import { pick, type Day, type Timeline } from './timeline.ts';
import { moneyIn, type Item } from './money.ts';
import type { Partners } from './partners.ts';

const tasks = [
  'Wireframes',
  'Accessible colour scheme',
  'Timeline of the harbour',
  'Review with the curators',
] as const;
const minutes = [420, 375, 465, 300, 435] as const;

/** Schedules projects, their time entries, and their invoices. */
export async function scheduleProjects(
  timeline: Timeline,
  { museum, bakery, hotel, bookshop }: Partners,
  first: Day,
): Promise<void> {
  const start = first.add({ months: 5 });
  const website = { id: '' };
  timeline.on(start, async () => {
    website.id = await timeline.create('createProject', {
      name: 'New website for the museum',
      customerId: museum.id,
      hourlyRateNet: '95',
      budgetHours: '280',
      startDate: start.toString(),
    });
  });
  let count = 0;
  for (let day = start; Temporal.PlainDate.compare(day, timeline.today) <= 0; day = day.add({ days: 1 })) {
    if (day.dayOfWeek === 4) track(timeline, website, day, pick(tasks, count), pick(minutes, count++));
  }
  for (let month = 1; month <= 7; month++) {
    const until = start.add({ months: month }).subtract({ days: 1 });
    let id = '';
    timeline.on(until, async () => {
      const draft = await timeline.ask<{ id: string; items: Item[] }>('billProject', {
        id: website.id,
        on: until.toString(),
      });
      ({ id } = draft);
      const items = draft.items.map((item) => ({ ...item, ...museum.tax }));
      await timeline.ask('updateInvoice', { id, input: { items } });
      await timeline.ask('issueInvoice', { id });
    });
    moneyIn(timeline, museum, until.add({ days: 12 }), () => id);
  }

  await scheduleFinished(timeline, first.add({ months: 1 }), {
    name: 'Bakery branding',
    customerId: bakery.id,
    hourlyRateNet: '85',
    status: 'COMPLETED',
  });
  await scheduleFinished(timeline, first.add({ months: 3 }), {
    name: 'Catalogue archive',
    customerId: bookshop.id,
    hourlyRateNet: '80',
    status: 'ARCHIVED',
  });
  const campaign = { id: '' };
  const opened = timeline.today.subtract({ days: 24 });
  timeline.on(opened, async () => {
    campaign.id = await timeline.create('createProject', {
      name: 'Winter campaign',
      customerId: hotel.id,
      hourlyRateNet: '88',
      budgetHours: '40',
      startDate: opened.toString(),
    });
  });
  for (const [daysAgo, length, text] of [
    [20, 150, 'Photo shoot on the beach'],
    [13, 315, 'Selection and retouching'],
    [6, 240, 'Poster, three drafts'],
    [1, 105, 'Changes after the call'],
  ] as const) {
    track(timeline, campaign, timeline.today.subtract({ days: daysAgo }), text, length);
  }
}

async function scheduleFinished(
  timeline: Timeline,
  from: Day,
  { status, ...input }: Record<string, string>,
): Promise<void> {
  const project = { id: '' };
  const end = from.add({ days: 40 });
  timeline.on(from, async () => {
    project.id = await timeline.create('createProject', { ...input, startDate: from.toString() });
  });
  for (const [index, text] of (['Interviews', 'First drafts', 'Artwork'] as const).entries()) {
    track(timeline, project, from.add({ days: 7 + index * 12 }), text, pick(minutes, index), false);
  }
  timeline.on(end, async () => {
    await timeline.ask('updateProject', { id: project.id, input: { status, endDate: end.toString() } });
  });
}

function track(
  timeline: Timeline,
  project: { id: string },
  on: Day,
  description: string,
  durationMinutes: number,
  billable = true,
): void {
  const date = on.toString();
  timeline.on(on, () =>
    timeline.create('createTimeEntry', { projectId: project.id, date, durationMinutes, description, billable }),
  );
}
