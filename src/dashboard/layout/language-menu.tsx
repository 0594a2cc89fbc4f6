import { LanguageIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { chooseLanguage, language, languages, type Language } from '../i18n/language.ts';
import { t } from '../i18n/t.ts';
import { ChoiceMenu } from './choice-menu.tsx';

/** Each language is named in itself. */
const choices = Object.entries(languages).map(([value, label]) => ({ value: value as Language, label, lang: value }));

/** Chooses the language of the pages. */
export const LanguageMenu = (): ReactNode => (
  <ChoiceMenu
    label={t('Language')}
    icon={<LanguageIcon width={20} aria-hidden />}
    value={language}
    choices={choices}
    onChange={chooseLanguage}
  />
);
