import { Box, Center, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useHeadingFocus } from '../navigation/heading-focus.ts';
import { useKeptFocus } from '../navigation/keep-focus.ts';
import icon from '../icon.svg';
import { LanguageMenu } from './language-menu.tsx';
import { product } from './product.ts';

interface Props {
  title: string;
  lead?: ReactNode;
  children: ReactNode;
}

/** The frame of a page without a session. */
export function FrontPage({ title, lead, children }: Props): ReactNode {
  const heading = useHeadingFocus();
  useKeptFocus();
  return (
    <Center mih="100dvh" p="md" component="main">
      <title>{`${title} · ${product}`}</title>
      <Stack w="100%" maw={400} gap="lg">
        <Group gap="xs" justify="center">
          <img src={icon} alt="" width={32} height={32} />
          <Text fw={700} size="xl">
            {product}
          </Text>
        </Group>
        <Paper withBorder radius="lg" p={{ base: 'lg', xs: 'xl' }}>
          <Stack gap={4} mb="lg" style={{ overflowWrap: 'anywhere' }}>
            <Title order={1} size="h3" ref={heading} tabIndex={-1}>
              {title}
            </Title>
            {lead && (
              <Text c="dimmed" size="sm">
                {lead}
              </Text>
            )}
          </Stack>
          <Box>{children}</Box>
        </Paper>
        <Center>
          <LanguageMenu />
        </Center>
      </Stack>
    </Center>
  );
}
