import { Avatar, Menu, Text, UnstyledButton, VisuallyHidden, useMantineColorScheme } from '@mantine/core';
import {
  ArrowRightStartOnRectangleIcon,
  BookOpenIcon,
  QueueListIcon,
  ComputerDesktopIcon,
  MoonIcon,
  SunIcon,
  UserCircleIcon,
} from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { confirmDiscard } from '../forms/unsaved.ts';
import { signOut } from '../session/auth.ts';
import { useSession } from '../session/session.tsx';
import { ChoiceMenu } from './choice-menu.tsx';
import { notifyError } from '../components/toast.ts';
import { t } from '../i18n/t.ts';

/** @param showShortcuts opens the list of keyboard shortcuts */
export function UserMenu({ showShortcuts }: { showShortcuts: () => void }): ReactNode {
  const { user } = useSession();
  const signOutHere = async (): Promise<void> => {
    if (!(await confirmDiscard())) return;
    const { refusal } = await signOut();
    // Loads a new page, so that nothing of the books stays in memory.
    if (refusal) notifyError(refusal.message);
    else window.location.assign('/sign-in');
  };
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton style={{ borderRadius: '50%' }}>
          <Avatar size={32} name={user.name} color="initials" aria-hidden />
          <VisuallyHidden>{t('Account of {name}', { name: user.name })}</VisuallyHidden>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} truncate title={user.name}>
            {user.name}
          </Text>
          <Text size="xs" truncate title={user.email}>
            {user.email}
          </Text>
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item component={Link} to="/account" leftSection={<UserCircleIcon width={18} aria-hidden />}>
          {t('Account')}
        </Menu.Item>
        <Menu.Item component="a" href="/docs" leftSection={<BookOpenIcon width={18} aria-hidden />}>
          {t('Documentation')}
        </Menu.Item>
        <Menu.Item leftSection={<QueueListIcon width={18} aria-hidden />} onClick={showShortcuts}>
          {t('Keyboard shortcuts')}
        </Menu.Item>
        <Menu.Item leftSection={<ArrowRightStartOnRectangleIcon width={18} aria-hidden />} onClick={signOutHere}>
          {t('Sign out')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const schemes = [
  { value: 'auto', label: t('System'), icon: ComputerDesktopIcon },
  { value: 'light', label: t('Light'), icon: SunIcon },
  { value: 'dark', label: t('Dark'), icon: MoonIcon },
] as const;

export function ColorScheme(): ReactNode {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const Current = schemes.find(({ value }) => value === colorScheme)?.icon ?? ComputerDesktopIcon;
  return (
    <ChoiceMenu
      label={t('Colour scheme')}
      icon={<Current width={20} aria-hidden />}
      value={colorScheme}
      choices={schemes.map(({ value, label }) => ({ value, label }))}
      onChange={setColorScheme}
    />
  );
}
