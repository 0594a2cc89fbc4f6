import { Anchor, Box, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { BookOpenIcon, ChevronLeftIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useHeadingFocus } from '../navigation/heading-focus.ts';
import { useSession } from '../session/session.tsx';
import { TextLink } from '../components/text-link.tsx';
import { isolateName, t } from '../i18n/t.ts';
import { product } from './product.ts';

export interface PageProps {
  title: string;
  /** Shown beside the title, such as a state. */
  badge?: ReactNode;
  /** One line about the page's purpose. */
  description?: ReactNode;
  /** The guide for developers about the page's subject. */
  guide?: { href: `/docs/${string}`; label: string };
  actions?: ReactNode;
  back?: { to: string; label: string };
  children: ReactNode;
}

/** The frame of a page. After navigation its heading gets the focus. Its title is the window's title. */
export function Page({ title, badge, description, guide, actions, back, children }: PageProps): ReactNode {
  const { tenant } = useSession();
  const heading = useHeadingFocus();
  return (
    <Stack gap="lg">
      <title>{[title, tenant.name, product].map(isolateName).join(' · ')}</title>
      <Stack gap="xs">
        {back && (
          <TextLink className="target" to={back.to} w="fit-content">
            <Group gap={4} component="span">
              <ChevronLeftIcon width={14} aria-hidden />
              {back.label}
            </Group>
          </TextLink>
        )}
        <Group justify="space-between" align="flex-start" gap="sm">
          <Stack gap="xs" flex="1 1 auto" miw={description ? 'min(100%, 20rem)' : 0}>
            <Group gap="sm" miw={0} mih={36}>
              <Title order={1} size={title.length > 80 ? 'h4' : 'h2'} ref={heading} tabIndex={-1} miw={0}>
                {title}
              </Title>
              {badge}
            </Group>
            {description && (
              <Text className="long page-description" component="div" c="dimmed" maw={720}>
                {description}
              </Text>
            )}
          </Stack>
          {actions && <Group gap="xs">{actions}</Group>}
        </Group>
        {guide && (
          <Anchor className="target" href={guide.href} target="_blank" size="sm" w="fit-content">
            <Group gap={6} component="span" wrap="nowrap">
              <BookOpenIcon width={16} aria-hidden />
              {t('Guide: {label}', { label: guide.label })}
            </Group>
          </Anchor>
        )}
      </Stack>
      <Box>{children}</Box>
    </Stack>
  );
}

/** The placeholder of a page that is loading. */
export function PageSkeleton(): ReactNode {
  return (
    <Stack gap="lg" aria-busy>
      <Skeleton h={32} w={220} mt={2} />
      <Skeleton h={300} />
    </Stack>
  );
}
