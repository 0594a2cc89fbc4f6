import type { ComponentType, ReactNode, SVGProps } from 'react';
import type { CombinedError } from 'urql';
import { money } from '../../format/format.ts';
import { sum } from '../../format/decimal.ts';

/** Options of a list whose rows can be selected: their names and their sum, and the actions on several of them. */
export interface SelectionOptions<Row> {
  /** The name of a row: `Invoice 2026-0001`. */
  getName: (row: Row) => string;
  /** Its page, if it has one of its own. */
  getPath?: (row: Row) => string;
  /** The sum of the rows: `€1,190.00`. */
  addUp?: (rows: readonly Row[]) => string;
  actions: readonly BulkAction<Row>[];
}

/** An action on several rows at once. */
export interface BulkAction<Row> {
  label: string;
  icon: ComponentType<SVGProps<SVGSVGElement>>;
  /** The rows that the caller has to be allowed to write: `invoices`. */
  scope: string;
  isRed?: boolean;
  /** Whether a row's state allows it. */
  isFor: (row: Row) => boolean;
  /** Why it isn't done with others: `Not a draft`. */
  notFor: string;
  /** The title of the dialog: `Issue the invoices?` */
  title: string;
  /** Says what will be done, and begins. */
  Question: (props: QuestionProps<Row>) => ReactNode;
}

/** A row with which an action isn't done, and why. */
export interface Left<Row> {
  row: Row;
  reason: string;
}

export interface QuestionProps<Row> {
  options: SelectionOptions<Row>;
  /** The selected rows whose state allows the action. */
  rows: readonly Row[];
  left: readonly Left<Row>[];
  begin: (work: Work<Row>) => void;
  cancel: () => void;
}

/** The rows with which an action is done, one after the other. */
export interface Work<Row> {
  rows: readonly Row[];
  left: readonly Left<Row>[];
  request: (row: Row) => Promise<{ error?: CombinedError | undefined }>;
  /** The message about the rows with which it is done: `18 invoices are issued.` */
  sayDone: (count: number) => string;
}

/** The sum of amounts in each currency: `€1,190.00 · $200.00`. */
export const sayMoney = (amounts: readonly { amount: string; currency: string }[]): string =>
  [...Map.groupBy(amounts, ({ currency }) => currency)]
    .map(([currency, group]) => money(sum(group.map(({ amount }) => amount)), currency))
    .join(' · ');
