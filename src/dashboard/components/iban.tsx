import { Fragment, type ReactNode } from 'react';
import { splitIban } from '../format/iban.ts';

/** An IBAN in groups of four. What is copied has no spaces, because not every field and file takes them. */
export const Iban = ({ children }: { children: string }): ReactNode => (
  <span className="iban">
    {splitIban(children).map((group, at) => (
      // Groups repeat, and have fixed places.
      // eslint-disable-next-line react/no-array-index-key
      <Fragment key={at}>
        <wbr />
        <span>{group}</span>
      </Fragment>
    ))}
  </span>
);
