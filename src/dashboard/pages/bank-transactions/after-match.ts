import { createContext, useContext } from 'react';
import { useLocation } from 'wouter';
import { notifySuccess } from '../../components/toast.ts';
import { notifyUndoable } from '../../components/undo-toast.tsx';
import type { EnumOf } from '../../graphql.ts';
import type { BankTransaction } from './fields.ts';
import { useNextUnmatched } from './next-unmatched.ts';
import { useUndoMatch } from './undo-match.ts';

/** Where transactions are matched one after the other without leaving the page. */
export interface Inbox {
  /** Selects the next transaction. */
  goOn: (id: string) => void;
  /** Takes transactions back whose matches were undone, and selects the last of them. */
  bringBack: (ids: readonly string[]) => void;
  /** Is given what undoes the last match. */
  keepUndo: (undo: () => void) => void;
}

export const InboxContext = createContext<Inbox | undefined>(undefined);

/** A match that was made. */
interface Made {
  message: string;
  matchStatus: EnumOf<'MatchStatus'> | undefined;
  /** The id of the document that the transaction pays, if it pays only one. */
  matched?: string | undefined;
  /** Whether the message has no button that undoes it. */
  isFinal?: boolean;
}

/**
 * Returns a function to call after a match of this transaction. It shows a message with a button that undoes the match,
 * and goes to the next unmatched transaction. Matches that were there before are kept: those of a partially matched
 * transaction are undone on its page.
 */
export function useAfterMatch(transaction: BankTransaction): (made: Made) => Promise<void> {
  const { id } = transaction;
  const inbox = useContext(InboxContext);
  const [, navigate] = useLocation();
  const openNextUnmatched = useNextUnmatched(transaction);
  const undoMatch = useUndoMatch();
  return async ({ message, matchStatus, matched, isFinal = false }) => {
    const undo = async (): Promise<void> => {
      if (!(await undoMatch({ id, matched }))) return;
      if (inbox) inbox.bringBack([id]);
      else navigate(`/bank-transactions/${id}`);
    };
    const notify = (text: string): void => {
      if (isFinal || transaction.matchStatus !== 'UNMATCHED') return notifySuccess(text);
      const undoNow = notifyUndoable(text, () => void undo());
      inbox?.keepUndo(undoNow);
    };
    if (matchStatus === 'MATCHED' && !inbox) return openNextUnmatched(message, notify);
    notify(message);
    if (matchStatus === 'MATCHED') inbox?.goOn(id);
  };
}
