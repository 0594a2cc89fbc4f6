import { Select, type SelectProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../../i18n/t.ts';
import { buildOptions, formats } from './texts.ts';

/** Chooses the format of a table. */
export const FormatField = (props: Omit<SelectProps, 'label' | 'data'>): ReactNode => (
  <Select label={t('Format')} data={buildOptions(formats)} {...props} />
);
