import { Tabs, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CodeBlock } from '../../components/code-block.tsx';
import { snippets, type Sent } from './snippets.ts';

/** Programs that verify this very delivery. */
export function Verify(sent: Sent): ReactNode {
  const programs = snippets(sent);
  return (
    <div>
      <Text size="sm" mb="sm">
        Put the webhook’s secret into <code>WEBHOOK_SECRET</code>, and run one of these: it prints <code>true</code>.
        Your receiver does the same with the raw body and the header <code>X-Service-Signature</code>, and answers 401
        where they don’t agree.
      </Text>
      <Tabs defaultValue={programs[0]?.language ?? ''} keepMounted={false}>
        <Tabs.List aria-label="Language">
          {programs.map(({ language }) => (
            <Tabs.Tab key={language} value={language}>
              {language}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {programs.map(({ language, code }) => (
          <Tabs.Panel key={language} value={language} pt="sm">
            <CodeBlock label={`Verify in ${language}`} code={code} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </div>
  );
}
