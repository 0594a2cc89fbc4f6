import './file.css';
import type { ReactNode } from 'react';

/** The width of a dialog that has a file beside its form. */
export const wideDialog = '76rem';

interface Props {
  file: ReactNode;
  /** Whether there is a file to read: else it stands above the form, on wide screens too. */
  isShown: boolean;
  children: ReactNode;
}

/** A file and the form that is filled in from it: beside it, or above it where the screen is narrow. */
export const FileAndForm = ({ file, isShown, children }: Props): ReactNode => (
  <div className={isShown ? 'file-and-form' : undefined}>
    <div style={isShown ? undefined : { marginBottom: 'var(--mantine-spacing-md)' }}>{file}</div>
    <div>{children}</div>
  </div>
);
