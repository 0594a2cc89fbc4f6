import { useClient } from 'urql';
import { notifyError, notifySuccess } from '../../components/toast.ts';
import { changeByOthers, errorMessage } from '../../errors/form-errors.ts';
import { graphql } from '../../graphql.ts';
import { t } from '../../i18n/t.ts';

export const Unmatch = graphql(`
  mutation Unmatch($id: UUID!, $matched: UUID) {
    unmatchBankTransaction(id: $id, matched: $matched) {
      id
    }
  }
`);

/** A match that was made, with the ids that undo it. */
export interface MadeMatch {
  /** The transaction. */
  id: string;
  /** The id of the document that the transaction pays, if it pays only one. */
  matched: string | undefined;
}

/** Undoes a match, also from a page that has not made it. @returns whether it is undone */
export function useUndoMatch(): (made: MadeMatch) => Promise<boolean> {
  const client = useClient();
  return async ({ id, matched }) => {
    const { error } = await client.mutation(Unmatch, { id, matched }).toPromise();
    if (error) notifyError(error);
    else notifySuccess(t('The match is undone.'));
    return !error;
  };
}

interface Undone {
  /** The transactions whose matches are undone. */
  undone: ReadonlySet<string>;
  /** Why others are not. */
  reason: string;
}

/** Undoes matches one after the other, until the server can't be reached. */
export function useUndoMatches(): (made: readonly MadeMatch[]) => Promise<Undone> {
  const client = useClient();
  return async (made) => {
    const undone = new Set<string>();
    const reasons = new Set<string>();
    for (const { id, matched } of made) {
      const { error } = await client.mutation(Unmatch, { id, matched }).toPromise();
      if (error) reasons.add(changeByOthers(error) ?? errorMessage(error));
      else undone.add(id);
      if (error?.networkError) break;
    }
    return { undone, reason: [...reasons].join(' ') };
  };
}
