import { Anchor, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { inWords, listFields, type AuditEntry } from './fields.ts';

/** So many fields are shown at once. */
const few = 4;

/** What a change has set: `City: Graz → Wien`. */
export function ChangedFields({ entry }: { entry: AuditEntry }): ReactNode {
  const [whole, { toggle }] = useDisclosure();
  const fields = listFields(entry);
  return (
    <div style={{ minWidth: 0 }}>
      {(whole ? fields : fields.slice(0, few)).map(({ name, before, after }) => (
        <Text key={name} size="sm" className="long" lineClamp={whole ? undefined : 2}>
          <Text span size="sm" c="dimmed">
            {inWords(name)}:{' '}
          </Text>
          {entry.action === 'UPDATED' ? `${before ?? 'none'} → ${after ?? 'none'}` : (after ?? before)}
        </Text>
      ))}
      {fields.length > few && (
        <Anchor component="button" type="button" size="sm" onClick={toggle} aria-expanded={whole}>
          {whole ? 'Show fewer fields' : `Show all ${fields.length} fields`}
        </Anchor>
      )}
    </div>
  );
}
