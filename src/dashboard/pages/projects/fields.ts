import { graphql, type FragmentOf } from '../../graphql.ts';

export const ProjectFields = graphql(`
  fragment ProjectFields on Project {
    id
    version
    externalId
    metadata
    name
    description
    status
    hourlyRateNet
    currency
    budgetHours
    startDate
    endDate
    trackedMinutes
    unbilledMinutes
    customer {
      id
      companyName
    }
  }
`);

export type Project = FragmentOf<typeof ProjectFields>;
