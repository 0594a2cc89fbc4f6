import { useState } from 'react';
import { useMutation } from 'urql';
import { useSendOnce } from '../../../api/send-once.ts';
import { errorMessage } from '../../../errors/form-errors.ts';
import { BookReceipt } from '../mutations.ts';
import { useAttach } from './add-attachment.ts';

/** What is still to be done with a receipt that is stored as a draft. */
interface Rest {
  id: string;
  /** Undefined once it is attached. */
  file: File | undefined;
  /** Whether it is booked in the end. */
  book: boolean;
}

export interface Finishing {
  rest: Rest;
  /** The part of the file that is uploaded, from 0 to 1. */
  sent: number;
  /** Why it stopped. */
  problem: string | undefined;
}

/**
 * Attaches a file to a new draft, and books it. What fails is tried again by itself, without a second receipt: only a draft
 * takes files, so that a receipt is booked last.
 */
export function useFinishing(onDone: (id: string) => void): {
  state: Finishing | undefined;
  finish: (rest: Rest) => Promise<void>;
} {
  const [state, setState] = useState<Finishing>();
  const attach = useAttach();
  const [, bookReceipt] = useMutation(BookReceipt);
  const sendOnce = useSendOnce();
  const finish = async ({ id, file, book }: Rest): Promise<void> => {
    const report = (change: Partial<Finishing>): void =>
      setState({ rest: { id, file, book }, sent: 0, problem: undefined, ...change });
    report({});
    const problem = file && (await attach(id, file, (sent) => report({ sent })));
    if (problem !== undefined) return report({ problem });
    const attached = { rest: { id, file: undefined, book }, sent: 1 };
    report(attached);
    if (book) {
      const { error } = await sendOnce(`book ${id}`, (context) => bookReceipt({ id }, context));
      if (error) return report({ ...attached, problem: errorMessage(error) });
    }
    onDone(id);
  };
  return { state, finish };
}
