import { ActionIcon, Menu } from '@mantine/core';
import { LanguageIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { chooseLanguage, language, languages, type Language } from '../i18n/language.ts';
import { t } from '../i18n/t.ts';

/** Chooses the language of the pages, of which each is named in itself. */
export function LanguageMenu(): ReactNode {
  return (
    <Menu position="bottom-end" width={180}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('Language')}>
          <LanguageIcon width={20} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup value={language} onChange={(value) => chooseLanguage(value as Language)}>
          {Object.entries(languages).map(([code, name]) => (
            <Menu.RadioItem key={code} value={code} lang={code} closeMenuOnClick>
              {name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
