import { AppShell, Burger, Group, NavLink, ScrollArea, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense, useEffect, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useKeptFocus } from '../navigation/keep-focus.ts';
import { navigation } from '../routes.tsx';
import { ConnectionNotice } from './connection-notice.tsx';
import { GlobalSearch } from '../search/global-search.tsx';
import { useAppShortcuts } from '../shortcuts/app-shortcuts.tsx';
import { LanguageMenu } from './language-menu.tsx';
import { TenantSwitch } from './tenant-switch.tsx';
import { ColorScheme, UserMenu } from './user-menu.tsx';
import { t } from '../i18n/t.ts';
import { useSession } from '../session/session.tsx';

const TestNotice = lazy(() => import('./test-notice.tsx'));

/** The frame around every page: navigation, tenant, and user. */
export function Shell({ children }: { children: ReactNode }): ReactNode {
  const [opened, { toggle, close }] = useDisclosure();
  const [path] = useLocation();
  useEffect(close, [path, close]);
  useKeptFocus();
  const shortcuts = useAppShortcuts();
  const { tenant } = useSession();
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'md', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', md: 'xl' }}
    >
      <a className="skip" href="#content">
        {t('Skip to content')}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="md"
              size="sm"
              aria-label={t('Navigation')}
              aria-expanded={opened}
            />
            <TenantSwitch />
          </Group>
          <Group gap="xs" wrap="nowrap" style={{ flexShrink: 0 }}>
            <GlobalSearch />
            <Group gap="xs" wrap="nowrap" visibleFrom="xs">
              <LanguageMenu />
              <ColorScheme />
            </Group>
            <UserMenu showShortcuts={shortcuts.show} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar aria-label={t('Main')} mod={{ closed: !opened }}>
        <ScrollArea p="sm">
          <Group gap="xs" px={4} hiddenFrom="xs">
            <LanguageMenu />
            <ColorScheme />
          </Group>
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
        <div style={{ maxWidth: 1280, marginInline: 'auto' }}>
          {tenant.test && (
            <Suspense>
              <TestNotice />
            </Suspense>
          )}
          <ConnectionNotice />
          {children}
        </div>
      </AppShell.Main>
      {shortcuts.dialog}
    </AppShell>
  );
}
