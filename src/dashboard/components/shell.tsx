import {
  ActionIcon,
  AppShell,
  Avatar,
  Burger,
  Group,
  Menu,
  NavLink,
  ScrollArea,
  Text,
  UnstyledButton,
  VisuallyHidden,
  useMantineColorScheme,
  type MantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  ArrowRightStartOnRectangleIcon,
  BookOpenIcon,
  CheckIcon,
  ChevronUpDownIcon,
  ComputerDesktopIcon,
  MoonIcon,
  SunIcon,
  UserCircleIcon,
} from '@heroicons/react/24/outline';
import { useEffect, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { signOut } from '../auth.ts';
import { navigation } from '../routes.tsx';
import { useSession } from '../session.tsx';
import { failed } from './toast.ts';

/** What stands around every page: the navigation, the tenant, the user. */
export function Shell({ children }: { children: ReactNode }): ReactNode {
  const [opened, { toggle, close }] = useDisclosure();
  const [path] = useLocation();
  useEffect(close, [path, close]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', md: 'xl' }}
    >
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label="Navigation"
              aria-expanded={opened}
            />
            <TenantSwitch />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <ColorScheme />
            <UserMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar aria-label="Main">
        <ScrollArea p="sm">
          {navigation.map((group) => (
            <div key={group.label} role="group" aria-label={group.label}>
              <Text size="xs" fw={600} c="dimmed" px="sm" pt="md" pb={4}>
                {group.label}
              </Text>
              {group.items.map(({ path: to, label, icon: Icon }) => {
                const active = path === to || (to !== '/' && path.startsWith(`${to}/`));
                return (
                  <NavLink
                    key={to}
                    component={Link}
                    to={to}
                    label={label}
                    leftSection={<Icon width={20} aria-hidden />}
                    active={active}
                    aria-current={active ? 'page' : undefined}
                    onClick={close}
                    style={{ borderRadius: 'var(--mantine-radius-md)' }}
                  />
                );
              })}
            </div>
          ))}
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} style={{ outline: 'none' }}>
        <div style={{ maxWidth: 1280, marginInline: 'auto' }}>{children}</div>
      </AppShell.Main>
    </AppShell>
  );
}

/** Another tenant's same list, or its first page. */
function TenantSwitch(): ReactNode {
  const { tenant, tenants } = useSession();
  const [path, navigate] = useLocation();
  const here = navigation.flatMap(({ items }) => items).find(({ path: to }) => to !== '/' && path.startsWith(to));
  const name = (
    <Group gap="xs" wrap="nowrap" miw={0}>
      <Avatar size={28} radius="md" color="indigo" variant="filled" name={tenant.name} aria-hidden />
      <Text fw={600} truncate>
        {tenant.name}
      </Text>
      {tenants.length > 1 && <ChevronUpDownIcon width={16} aria-hidden style={{ flexShrink: 0 }} />}
    </Group>
  );
  if (tenants.length < 2) return name;
  return (
    <Menu position="bottom-start" width={260}>
      <Menu.Target>
        <UnstyledButton miw={0} title="Switch the tenant">
          {name}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Tenants</Menu.Label>
        {tenants.map(({ id, name: label }) => (
          <Menu.Item
            key={id}
            role="menuitemradio"
            aria-checked={id === tenant.id}
            leftSection={<Avatar size={24} radius="md" color="indigo" name={label} aria-hidden />}
            rightSection={id === tenant.id && <CheckIcon width={16} aria-hidden />}
            onClick={() => id !== tenant.id && navigate(`~/${id}${here?.path ?? ''}`)}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

const schemes = [
  { value: 'auto', label: 'As the system', icon: ComputerDesktopIcon },
  { value: 'light', label: 'Light', icon: SunIcon },
  { value: 'dark', label: 'Dark', icon: MoonIcon },
] satisfies { value: MantineColorScheme; label: string; icon: unknown }[];

function ColorScheme(): ReactNode {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const Current = schemes.find(({ value }) => value === colorScheme)?.icon ?? ComputerDesktopIcon;
  return (
    <Menu position="bottom-end" width={180}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Colour scheme">
          <Current width={20} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {schemes.map(({ value, label, icon: Icon }) => (
          <Menu.Item
            key={value}
            role="menuitemradio"
            aria-checked={value === colorScheme}
            leftSection={<Icon width={18} aria-hidden />}
            rightSection={value === colorScheme && <CheckIcon width={16} aria-hidden />}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function UserMenu(): ReactNode {
  const { user } = useSession();
  const leave = async (): Promise<void> => {
    const { refusal } = await signOut();
    // A fresh page: nothing of the books stays in memory.
    if (refusal) failed(refusal.message);
    else window.location.assign('/sign-in');
  };
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton style={{ borderRadius: '50%' }}>
          <Avatar size={32} name={user.name} color="initials" aria-hidden />
          <VisuallyHidden>Account of {user.name}</VisuallyHidden>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} truncate>
            {user.name}
          </Text>
          <Text size="xs" truncate>
            {user.email}
          </Text>
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item component={Link} to="/account" leftSection={<UserCircleIcon width={18} aria-hidden />}>
          Account
        </Menu.Item>
        <Menu.Item component="a" href="/docs" leftSection={<BookOpenIcon width={18} aria-hidden />}>
          Documentation
        </Menu.Item>
        <Menu.Item leftSection={<ArrowRightStartOnRectangleIcon width={18} aria-hidden />} onClick={leave}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
