import './shortcuts-dialog.css';
import { Group, Kbd, SimpleGrid, Stack, Switch, Text, Title, VisuallyHidden } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { Fragment, useState, type ReactNode } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { t } from '../i18n/t.ts';
import { registrations, singleKeysStorage, type Shortcut, type ShortcutGroup } from './shortcuts.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
}

/** All shortcuts of the page, and the setting that turns those of single keys off. */
export default function ShortcutsDialog({ opened, onClose }: Props): ReactNode {
  return (
    <Dialog title={t('Keyboard shortcuts')} opened={opened} onClose={onClose} size="48rem">
      <Content />
    </Dialog>
  );
}

const groupLabels: Record<ShortcutGroup, string> = {
  EVERYWHERE: t('Everywhere'),
  GO_TO: t('Go to'),
  LIST: t('In a list'),
};

const order: ShortcutGroup[] = ['LIST', 'EVERYWHERE', 'GO_TO'];

/** The shortcuts that work now. */
function listShortcuts(): Shortcut[] {
  const taken = new Set<string>();
  return registrations.flatMap(({ shortcuts }) =>
    shortcuts.filter(({ keys }) => {
      const isFree = keys.some((each) => !taken.has(each));
      for (const each of keys) taken.add(each);
      return isFree;
    }),
  );
}

function Content(): ReactNode {
  const [shortcuts] = useState(listShortcuts);
  const [singleKeys, setSingleKeys] = useLocalStorage<boolean>({
    key: singleKeysStorage,
    defaultValue: true,
    getInitialValueInEffect: false,
  });
  const groups = order
    .map((group) => ({ group, members: shortcuts.filter((shortcut) => shortcut.group === group) }))
    .filter(({ members }) => members.length > 0);
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xl" verticalSpacing="lg">
        <Stack gap="lg">{groups.slice(0, -1).map(list)}</Stack>
        <Stack gap="lg">{groups.slice(-1).map(list)}</Stack>
      </SimpleGrid>
      <Switch
        label={t('Shortcuts of single keys')}
        description={t('Turn them off if you dictate, or if you press keys by mistake.')}
        checked={singleKeys}
        onChange={(event) => setSingleKeys(event.currentTarget.checked)}
      />
    </Stack>
  );
}

const list = ({ group, members }: { group: ShortcutGroup; members: Shortcut[] }): ReactNode => (
  <section key={group}>
    <Title order={2} size="h6" mb="xs">
      {groupLabels[group]}
    </Title>
    <dl className="shortcuts">
      {members.map(({ keys, label }) => (
        <Fragment key={keys.join()}>
          <Text component="dt" size="sm">
            {label}
          </Text>
          <Group component="dd" gap={6} m={0} wrap="nowrap">
            {keys.map((each, at) => (
              <Fragment key={each}>
                {at > 0 && (
                  <Text span size="xs" c="dimmed">
                    {t('or')}
                  </Text>
                )}
                <Keys keys={each} />
              </Fragment>
            ))}
          </Group>
        </Fragment>
      ))}
    </dl>
  </section>
);

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The sign on each key, and the key's name. */
const names: Record<string, { sign: string; name?: string }> = {
  mod: isMac ? { sign: '⌘', name: t('Command') } : { sign: t('Ctrl') },
  shift: { sign: t('Shift') },
  Escape: { sign: t('Esc') },
  Enter: { sign: t('Enter') },
  ArrowDown: { sign: '↓', name: t('Down arrow') },
  ArrowUp: { sign: '↑', name: t('Up arrow') },
};

const Keys = ({ keys }: { keys: string }): ReactNode => (
  <Group component="span" gap={4} wrap="nowrap">
    {keys.split(/[ +]/).map((key) => {
      const { sign, name } = names[key] ?? { sign: key.toUpperCase() };
      return (
        <Kbd key={key}>
          {name ? (
            <>
              <span aria-hidden>{sign}</span>
              <VisuallyHidden>{name}</VisuallyHidden>
            </>
          ) : (
            sign
          )}
        </Kbd>
      );
    })}
  </Group>
);
