import type { ReactNode } from 'react';
import { graphql } from '../graphql.ts';
import { Picker, type PickerProps } from './picker.tsx';

const FindQuery = graphql(`
  query FindProjects($q: String) {
    found: projects(first: 20, q: $q, orderBy: { field: NAME, direction: ASC }) {
      nodes {
        id
        name
      }
    }
  }
`);

const NameQuery = graphql(`
  query ProjectName($id: UUID!) {
    chosen: project(id: $id) {
      id
      name
    }
  }
`);

export const ProjectPicker = (props: PickerProps): ReactNode => (
  <Picker find={FindQuery} among={{}} get={NameQuery} {...props} />
);
