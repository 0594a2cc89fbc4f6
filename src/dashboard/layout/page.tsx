import { Anchor, Box, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { BookOpenIcon, ChevronLeftIcon } from '@heroicons/react/24/outline';
import { useEffect, useRef, type ReactNode } from 'react';
import { useSession } from '../session/session.tsx';
import { TextLink } from '../components/text-link.tsx';

export interface PageProps {
  title: string;
  /** What stands beside the title: a state, say. */
  badge?: ReactNode;
  /** One line about the page's purpose. */
  description?: ReactNode;
  /** The guide that explains this page's matter to programmers. */
  guide?: { href: `/docs/${string}`; label: string };
  actions?: ReactNode;
  back?: { to: string; label: string };
  children: ReactNode;
}

// The first page that is opened leaves the focus where the browser puts it.
let arrived = false;

/** The frame of a page: its heading takes the focus when one comes here, and names the window. */
export function Page({ title, badge, description, guide, actions, back, children }: PageProps): ReactNode {
  const { tenant } = useSession();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (arrived) heading.current?.focus({ preventScroll: true });
    arrived = true;
    window.scrollTo(0, 0);
  }, []);
  return (
    <Stack gap="lg">
      <title>{`${title} · ${tenant.name} · Kontor`}</title>
      <Stack gap="xs">
        {back && (
          <TextLink className="target" to={back.to} w="fit-content">
            <Group gap={4} component="span">
              <ChevronLeftIcon width={14} aria-hidden />
              {back.label}
            </Group>
          </TextLink>
        )}
        <Group justify="space-between" gap="sm" mih={36}>
          <Group gap="sm" miw={0}>
            <Title order={1} size={title.length > 80 ? 'h4' : 'h2'} ref={heading} tabIndex={-1} miw={0}>
              {title}
            </Title>
            {badge}
          </Group>
          {actions && <Group gap="xs">{actions}</Group>}
        </Group>
        {description && (
          <Text className="long" component="div" c="dimmed" maw={720}>
            {description}
          </Text>
        )}
        {guide && (
          <Anchor className="target" href={guide.href} target="_blank" size="sm" w="fit-content">
            <Group gap={6} component="span" wrap="nowrap">
              <BookOpenIcon width={16} aria-hidden />
              Guide: {guide.label}
            </Group>
          </Anchor>
        )}
      </Stack>
      <Box>{children}</Box>
    </Stack>
  );
}

/** A page on its way. */
export function PageSkeleton(): ReactNode {
  return (
    <Stack gap="lg" aria-busy>
      <Skeleton h={32} w={220} mt={2} />
      <Skeleton h={300} />
    </Stack>
  );
}
