import { useRef, useState } from 'react';
import { useMutation } from 'urql';
import { useSendOnce } from '../../../api/send-once.ts';
import { errorMessage } from '../../../errors/form-errors.ts';
import { today } from '../../../format/format.ts';
import { CreateReceipt } from '../receipt-form.tsx';
import { useAttach } from './add-attachment.ts';

/** A file that becomes a draft of its own. */
export interface DraftOfFile {
  file: File;
  /** The draft, once it is stored. */
  id?: string;
  /** The part that is uploaded, from 0 to 1; undefined before and after. */
  sent?: number;
  /** Why it could not be added. */
  problem?: string;
  isDone?: boolean;
}

/** Stores a draft for each file, one after the other. Those that failed can be tried again, without a second draft. */
export function useManyDrafts(files: File[]): {
  drafts: readonly DraftOfFile[];
  busy: boolean;
  /** @returns whether all files are attached now */
  run: () => Promise<boolean>;
} {
  const [drafts, setDrafts] = useState<readonly DraftOfFile[]>(() => files.map((file) => ({ file })));
  const current = useRef(drafts);
  const [busy, setBusy] = useState(false);
  const [, create] = useMutation(CreateReceipt);
  const sendOnce = useSendOnce();
  const attach = useAttach();
  const change = (at: number, fields: DraftOfFile): void => {
    current.current = current.current.with(at, fields);
    setDrafts(current.current);
  };

  const add = async (at: number, { file, id: stored }: DraftOfFile): Promise<void> => {
    change(at, { file, id: stored, sent: 0 });
    let id = stored;
    if (id === undefined) {
      const input = { receiptDate: today(), amountGross: '0', description: file.name.slice(0, 2000) };
      const { data, error } = await sendOnce(file, (context) =>
        create({ input: { ...input, status: 'DRAFT' } }, context),
      );
      if (!data) return change(at, { file, problem: error && errorMessage(error) });
      ({ id } = data.saved);
    }
    const problem = await attach(id, file, (sent) => change(at, { file, id, sent }));
    change(at, problem === undefined ? { file, id, isDone: true } : { file, id, problem });
  };
  const run = async (): Promise<boolean> => {
    setBusy(true);
    for (const [at, draft] of current.current.entries()) {
      // One after the other, so that one photo at a time is sent through a phone's connection.
      // eslint-disable-next-line no-await-in-loop
      if (!draft.isDone) await add(at, draft);
    }
    setBusy(false);
    return current.current.every(({ isDone }) => isDone);
  };
  return { drafts, busy, run };
}
