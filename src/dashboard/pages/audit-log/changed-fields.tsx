import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { count } from '../../format/format.ts';
import { inWords, listFields, type AuditEntry } from './fields.ts';
import { t } from '../../i18n/t.ts';

/**
 * The fields that a change has set: `City: Graz → Wien`.
 * @param few so many fields are shown before the reader asks for all
 */
export function ChangedFields({ entry, few }: { entry: AuditEntry; few: number }): ReactNode {
  const [whole, { toggle }] = useDisclosure();
  const fields = listFields(entry);
  return (
    <div className="changed-fields">
      {(whole ? fields : fields.slice(0, few)).map(({ name, before, after }) => {
        const change =
          entry.action === 'UPDATED' ? `${before ?? t('none')} → ${after ?? t('none')}` : (after ?? before);
        return (
          <Text key={name} size="sm" className="long" lineClamp={whole ? undefined : 2} title={change ?? ''}>
            <Text span size="sm" c="dimmed">
              {inWords(name)}:{' '}
            </Text>
            {change}
          </Text>
        );
      })}
      {fields.length > few && (
        <Button variant="transparent" size="compact-sm" px={0} onClick={toggle} aria-expanded={whole}>
          {whole ? t('Show fewer fields') : t('Show all fields ({number})', { number: count(fields.length) })}
        </Button>
      )}
    </div>
  );
}
