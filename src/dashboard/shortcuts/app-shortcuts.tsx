import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { t } from '../i18n/t.ts';
import { navigation } from '../routes.tsx';
import { useShortcutKeys, useShortcuts, type Shortcut } from './shortcuts.ts';

const ShortcutsDialog = lazy(() => import('./shortcuts-dialog.tsx'));

interface AppShortcuts {
  /** Lists all shortcuts. */
  show: () => void;
  dialog: ReactNode;
}

/** The shortcuts that work on every page, and the dialog that lists all. */
export function useAppShortcuts(): AppShortcuts {
  const [, navigate] = useLocation();
  const [opened, { open, close }] = useDisclosure();
  // The dialog's code is loaded when it is first opened.
  const [loaded, setLoaded] = useState(false);
  const show = (): void => {
    setLoaded(true);
    open();
  };
  useShortcutKeys();
  useShortcuts(
    [
      { keys: ['n'], label: t('New invoice'), group: 'EVERYWHERE', run: () => navigate('/invoices/new') },
      { keys: ['?'], label: t('Keyboard shortcuts'), group: 'EVERYWHERE', run: show },
      ...navigation.flatMap(({ items }) =>
        items.flatMap(({ path, label, shortcut }): Shortcut[] =>
          shortcut ? [{ keys: [`g ${shortcut}`], label, group: 'GO_TO', run: () => navigate(path) }] : [],
        ),
      ),
    ],
    { isDefault: true },
  );
  return {
    show,
    dialog: loaded && (
      <Suspense>
        <ShortcutsDialog opened={opened} onClose={close} />
      </Suspense>
    ),
  };
}
