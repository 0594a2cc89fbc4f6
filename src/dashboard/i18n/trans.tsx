import i18next from 'i18next';
import type { ReactElement, ReactNode } from 'react';
import { Trans as I18nextTrans } from 'react-i18next/TransWithoutContext';
import type { Text, Values } from './t.ts';

interface Props<T extends Text> {
  i18nKey: T;
  /** The elements around parts of the text, by the names of its tags: `Read <a>the guide</a>.` */
  components: Record<string, ReactElement>;
  values?: Values<T>;
}

/** A text with links or other elements in it. */
export function Trans<T extends Text>({ i18nKey, components, values }: Props<T>): ReactNode {
  return <I18nextTrans i18n={i18next} i18nKey={i18nKey as string} components={components} values={values ?? {}} />;
}
