import i18next from 'i18next';
import { createElement, type ReactElement, type ReactNode } from 'react';
import { Trans as I18nextTrans } from 'react-i18next/TransWithoutContext';
import { isolate, type Text, type Values } from './t.ts';

interface Props<T extends Text> {
  i18nKey: T;
  /** The elements around parts of the text, by the names of its tags: `Read <a>the guide</a>.` */
  components: Record<string, ReactElement>;
  values?: Values<T>;
}

// A name that is put in may have tags of its own, and must not become an element. react-i18next reads the escaped ones as text.
const escaped = { interpolation: { escapeValue: true } };

/** A text with links or other elements in it. */
export const Trans = <T extends Text>({ i18nKey, components, values }: Props<T>): ReactNode =>
  createElement(I18nextTrans, {
    i18n: i18next,
    i18nKey: i18nKey as string,
    components,
    values: isolate(values ?? {}),
    tOptions: escaped,
  });
