import { ActionIcon, Tooltip } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { Bars3Icon, Bars4Icon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { t } from '../i18n/t.ts';

/** How much room a row has: one line, or as many as its texts need. */
export type Density = 'compact' | 'comfortable';

/** The density of all lists in this browser. */
export const useDensity = (): [Density, (density: Density) => void] => {
  const [density, setDensity] = useLocalStorage<Density>({
    key: 'kontor-density',
    defaultValue: 'compact',
    getInitialValueInEffect: false,
  });
  return [density === 'comfortable' ? density : 'compact', setDensity];
};

export function DensityButton(): ReactNode {
  const [density, setDensity] = useDensity();
  const isCompact = density === 'compact';
  const label = isCompact ? t('Show rows with more space') : t('Show rows with less space');
  const Icon = isCompact ? Bars3Icon : Bars4Icon;
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        visibleFrom="sm"
        aria-label={label}
        onClick={() => setDensity(isCompact ? 'comfortable' : 'compact')}
      >
        <Icon width={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
