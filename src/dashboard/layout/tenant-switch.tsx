import { Avatar, Group, Menu, Text, UnstyledButton } from '@mantine/core';
import { ChevronUpDownIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { navigation } from '../routes.tsx';
import { useSession } from '../session/session.tsx';
import { t } from '../i18n/t.ts';

/** Shows the current tenant, and switches to another one. A list stays open: the same list of the other tenant is shown. */
export function TenantSwitch(): ReactNode {
  const { tenant, tenants } = useSession();
  const [path, navigate] = useLocation();
  const currentList = navigation
    .flatMap(({ items }) => items)
    .find(({ path: to }) => to !== '/' && path.startsWith(to));
  const name = (
    <Group gap="xs" wrap="nowrap" miw={0}>
      <Initials name={tenant.name} size={28} />
      <Text fw={600} truncate title={tenant.name}>
        {tenant.name}
      </Text>
      {tenants.length > 1 && <ChevronUpDownIcon width={16} aria-hidden style={{ flexShrink: 0 }} />}
    </Group>
  );
  if (tenants.length < 2) return name;
  return (
    <Menu position="bottom-start" width={260}>
      <Menu.Target>
        <UnstyledButton miw={0} title={t('Switch tenant')}>
          {name}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown mah="calc(100dvh - 80px)" style={{ overflowY: 'auto' }}>
        <Menu.RadioGroup value={tenant.id} onChange={(id) => navigate(`~/${id}${currentList?.path ?? ''}`)}>
          {tenants.map(({ id, name: label }) => (
            <Menu.RadioItem key={id} value={id} closeMenuOnClick>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}

const Initials = ({ name, size }: { name: string; size: number }): ReactNode => (
  <Avatar size={size} radius="md" color="indigo" variant="filled" name={name} aria-hidden />
);
