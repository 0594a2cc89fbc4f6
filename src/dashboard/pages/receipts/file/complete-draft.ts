import { useState } from 'react';
import { useMutation } from 'urql';
import { useSendOnce } from '../../../api/send-once.ts';
import { errorMessage } from '../../../errors/form-errors.ts';
import { BookReceipt } from '../mutations.ts';
import { useAttach } from './add-attachment.ts';

/** The steps that are left for a receipt that is stored as a draft. */
interface PendingDraft {
  id: string;
  /** Undefined once it is attached. */
  file: File | undefined;
  /** Whether it is booked in the end. */
  book: boolean;
}

export interface DraftCompletion {
  draft: PendingDraft;
  /** The part of the file that is uploaded, from 0 to 1. */
  sent: number;
  /** Why it stopped. */
  problem: string | undefined;
}

/**
 * Attaches a file to a new draft, and then books it: only drafts take files. If one of the two fails, `complete` can be called again
 * with `state.draft`. It does only what is left, and makes no second receipt.
 */
export function useCompleteDraft(onDone: (id: string) => void): {
  state: DraftCompletion | undefined;
  complete: (draft: PendingDraft) => Promise<void>;
} {
  const [state, setState] = useState<DraftCompletion>();
  const attach = useAttach();
  const [, bookReceipt] = useMutation(BookReceipt);
  const sendOnce = useSendOnce();
  const complete = async ({ id, file, book }: PendingDraft): Promise<void> => {
    const report = (change: Partial<DraftCompletion>): void =>
      setState({ draft: { id, file, book }, sent: 0, problem: undefined, ...change });
    report({});
    const problem = file && (await attach(id, file, (sent) => report({ sent })));
    if (problem !== undefined) return report({ problem });
    const attached = { draft: { id, file: undefined, book }, sent: 1 };
    report(attached);
    if (book) {
      const { error } = await sendOnce(`book ${id}`, (context) => bookReceipt({ id }, context));
      if (error) return report({ ...attached, problem: errorMessage(error) });
    }
    onDone(id);
  };
  return { state, complete };
}
