import { Tabs, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CodeBlock } from '../../components/code-block.tsx';
import { snippets, type SentRequest } from './snippets.ts';
import { t } from '../../i18n/t.ts';
import { Trans } from '../../i18n/trans.ts';

/** Programs that verify the delivery's signature. */
export function Verify(sent: SentRequest): ReactNode {
  const programs = snippets(sent);
  return (
    <div>
      <Text size="sm" mb="sm">
        <Trans
          i18nKey="Set <code>WEBHOOK_SECRET</code> to the webhook’s secret and run one of these programs. It prints <code>true</code>. Your receiver does the same with the raw body and the header <code>X-Service-Signature</code>, and responds with 401 if the signature doesn’t match."
          components={{ code: <code /> }}
        />
      </Text>
      <Tabs defaultValue={programs[0]?.language ?? ''} keepMounted={false}>
        <Tabs.List aria-label={t('Language')}>
          {programs.map(({ language }) => (
            <Tabs.Tab key={language} value={language}>
              {language}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {programs.map(({ language, code }) => (
          <Tabs.Panel key={language} value={language} pt="sm">
            <CodeBlock label={t('Verify in {language}', { language })} code={code} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </div>
  );
}
