import { Button, Kbd, ActionIcon } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { MagnifyingGlassIcon } from '@heroicons/react/24/outline';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { t } from '../i18n/t.ts';
import { useShortcuts } from '../shortcuts/shortcuts.ts';

const SearchDialog = lazy(() => import('./search-dialog.tsx'));

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Opens the global search: by its button, by `/`, or by Ctrl-K (⌘K on a Mac), which also works inside a field. */
export function GlobalSearch(): ReactNode {
  const [opened, { open: show, close }] = useDisclosure();
  // The dialog's code is loaded when it is first opened.
  const [loaded, setLoaded] = useState(false);
  const open = (): void => {
    setLoaded(true);
    show();
  };
  useShortcuts([{ keys: ['mod+K', '/'], label: t('Search everything'), group: 'EVERYWHERE', run: open }], {
    isDefault: true,
  });
  const keys = isMac ? '⌘K' : `${t('Ctrl')} K`;
  return (
    <>
      <Button
        variant="default"
        visibleFrom="sm"
        aria-keyshortcuts="/ Control+K Meta+K"
        leftSection={<MagnifyingGlassIcon width={16} aria-hidden />}
        rightSection={<Kbd size="xs">{keys}</Kbd>}
        onClick={open}
      >
        {t('Search')}
      </Button>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        hiddenFrom="sm"
        aria-label={t('Search everything')}
        onClick={open}
      >
        <MagnifyingGlassIcon width={20} aria-hidden />
      </ActionIcon>
      {loaded && (
        <Suspense>
          <SearchDialog opened={opened} onClose={close} />
        </Suspense>
      )}
    </>
  );
}
