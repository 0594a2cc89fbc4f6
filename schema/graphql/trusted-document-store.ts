import type { Context } from './context.ts';

// The domain's interface to the store of trusted documents (src/server/graphql/tenant-documents.ts).

/** A document that requests of a tenant name by its hash. */
export interface TrustedDocument {
  hash: string;
  createdAt: Date;
}

/** Whose documents, who calls, and for how long the request waits. */
type Caller = Pick<Context, 'tenant' | 'signal' | 'user' | 'actor'>;

/** The tenants' trusted documents. Its writes are committed by themselves. */
export interface TrustedDocumentStore {
  /**
   * Registers documents, all or none. Those that are registered already stay as they are.
   * @returns how many are new
   * @throws ValidationError
   */
  register: (caller: Caller, documents: readonly { hash: string; text: string }[]) => Promise<number>;
  /** Newest first. */
  list: (caller: Caller) => Promise<TrustedDocument[]>;
  /** @returns the deleted document; null if there is none */
  remove: (caller: Caller, hash: string) => Promise<TrustedDocument | null>;
}

/** The most documents of one mutation. */
export const maxRegisteredAtOnce = 100;
