import { Button } from '@mantine/core';
import { ArrowUpTrayIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { toDialog, type Asked } from './asked.ts';
import { language } from '../../i18n/language.ts';
import { t } from '../../i18n/t.ts';

/**
 * Opens the dialog that exports what a page shows. A phone has no room for it, and exports by the navigation.
 * @param title the page's
 */
export const ExportLink = ({ asked, title }: { asked: Asked; title: string }): ReactNode => (
  <Button
    component={Link}
    to={toDialog(asked)}
    variant="default"
    visibleFrom="sm"
    aria-label={t('Export {name}', { name: language === 'en' ? title.toLowerCase() : title })} // German nouns are capitalized
    leftSection={<ArrowUpTrayIcon width={18} aria-hidden />}
  >
    {t('Export')}
  </Button>
);
