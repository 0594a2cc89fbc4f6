import { Anchor, type AnchorProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

interface Props extends AnchorProps {
  className?: string;
  /** A page of the dashboard; `~/…` is outside of the tenant. */
  to: string;
  children: ReactNode;
}

/** A link within the dashboard. Inside of a text, underline it: colour alone doesn't tell. */
export const TextLink = (props: Props): ReactNode => <Anchor component={Link} size="sm" {...props} />;
