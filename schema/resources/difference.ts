/** Something in the books that isn't as it must be. */
export interface Difference {
  /** Record type: `invoice`, `invoice_file`, `document_proof`, `receipt`, `attachment`, `audit_entry`, `anchor`. */
  type: string;
  /** Its id, or a sequence's year; null for what is gone. */
  id: string | null;
  /** A sentence without its full stop. */
  message: string;
}

export type Report = (difference: Difference) => void;
