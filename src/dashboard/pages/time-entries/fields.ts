import { graphql, type FragmentOf } from '../../graphql.ts';

export const TimeEntryFields = graphql(`
  fragment TimeEntryFields on TimeEntry {
    id
    version
    date
    durationMinutes
    description
    billable
    billed
    hourlyRateNet
    project {
      id
      name
      currency
    }
    invoice {
      id
      number
    }
  }
`);

export type TimeEntry = FragmentOf<typeof TimeEntryFields>;
