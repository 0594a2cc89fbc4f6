import { graphql } from '../../graphql.ts';

/** The project's page and the list both send it. */
export const DeleteProject = graphql(`
  mutation DeleteProject($id: UUID!) {
    deleteProject(id: $id) {
      id
    }
  }
`);
