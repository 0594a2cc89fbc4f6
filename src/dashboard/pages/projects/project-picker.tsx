import type { ReactNode } from 'react';
import { graphql } from '../../graphql.ts';
import { ProjectForm } from './project-form.tsx';
import { Picker, type Creation, type PickerProps } from '../../forms/picker.tsx';
import { t } from '../../i18n/t.ts';

const FindQuery = graphql(`
  query FindProjects($filter: ProjectFilter) {
    found: projects(first: 20, filter: $filter, orderBy: { field: NAME, direction: ASC }) {
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

interface Props extends PickerProps {
  /** Whether a new one can be created: in forms, not in filters. */
  canCreate?: boolean;
}

const creation: Creation = {
  title: t('Add a project'),
  form: ({ name, onDone, onCancel }) => <ProjectForm name={name} onDone={onDone} onCancel={onCancel} />,
};

export const ProjectPicker = ({ canCreate = false, ...rest }: Props): ReactNode => (
  <Picker find={FindQuery} where={{}} get={NameQuery} creation={canCreate ? creation : undefined} {...rest} />
);
