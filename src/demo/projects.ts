import { pick, type Day, type Diary } from './diary.ts';
import { moneyIn } from './money.ts';
import type { Partners } from './partners.ts';

const tasks = [
  'Wireframes',
  'Accessible colour scheme',
  'Timeline of the harbour',
  'Review with the curators',
] as const;
const minutes = [420, 375, 465, 300, 435] as const;

/** Projects, their time, and what of it was billed. */
export async function noteProjects(
  diary: Diary,
  { museum, bakery, hotel, bookshop }: Partners,
  first: Day,
): Promise<void> {
  const start = first.add({ months: 5 });
  const website = { id: '' };
  diary.on(start, async () => {
    website.id = await diary.create('createProject', {
      name: 'New website for the museum',
      customerId: museum.id,
      hourlyRateNet: '95',
      budgetHours: '280',
      startDate: start.toString(),
    });
  });
  let count = 0;
  for (let day = start; Temporal.PlainDate.compare(day, diary.today) <= 0; day = day.add({ days: 1 })) {
    if (day.dayOfWeek === 4) track(diary, website, day, pick(tasks, count), pick(minutes, count++));
  }
  for (let month = 1; month <= 7; month++) {
    const until = start.add({ months: month }).subtract({ days: 1 });
    let id = '';
    diary.on(until, async () => {
      ({ id } = await diary.ask<{ id: string }>('billProject', { id: website.id, on: until.toString() }));
      await diary.ask('issueInvoice', { id });
    });
    moneyIn(diary, museum, until.add({ days: 12 }), () => id);
  }

  await noteFinished(diary, first.add({ months: 1 }), {
    name: 'Bakery branding',
    customerId: bakery.id,
    hourlyRateNet: '85',
    status: 'COMPLETED',
  });
  await noteFinished(diary, first.add({ months: 3 }), {
    name: 'Catalogue archive',
    customerId: bookshop.id,
    hourlyRateNet: '80',
    status: 'ARCHIVED',
  });
  const campaign = { id: '' };
  const opened = diary.today.subtract({ days: 24 });
  diary.on(opened, async () => {
    campaign.id = await diary.create('createProject', {
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
    track(diary, campaign, diary.today.subtract({ days: daysAgo }), text, length);
  }
}

async function noteFinished(diary: Diary, from: Day, { status, ...input }: Record<string, string>): Promise<void> {
  const project = { id: '' };
  const end = from.add({ days: 40 });
  diary.on(from, async () => {
    project.id = await diary.create('createProject', { ...input, startDate: from.toString() });
  });
  for (const [index, text] of (['Interviews', 'First drafts', 'Artwork'] as const).entries()) {
    track(diary, project, from.add({ days: 7 + index * 12 }), text, pick(minutes, index), false);
  }
  diary.on(end, async () => {
    await diary.ask('updateProject', { id: project.id, input: { status, endDate: end.toString() } });
  });
}

function track(
  diary: Diary,
  project: { id: string },
  on: Day,
  description: string,
  durationMinutes: number,
  billable = true,
): void {
  const date = on.toString();
  diary.on(on, () =>
    diary.create('createTimeEntry', { projectId: project.id, date, durationMinutes, description, billable }),
  );
}
