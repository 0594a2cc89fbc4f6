import { Code } from '@mantine/core';
import { LinkIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { ListPage } from '../../list/list-page.tsx';
import { AnchorTable } from './anchor-table.tsx';
import { DownloadAnchors } from './download.tsx';
import { t } from '../../i18n/t.ts';
import { Trans } from '../../i18n/trans.ts';

export default function Anchors(): ReactNode {
  return (
    <ListPage
      title={t('Anchors')}
      description={
        <Trans
          i18nKey="Signed once a day if the books have changed. Keep the file outside of Kontor: <code>kontor verify --expect-file</code> then proves all documents and the audit log up to each anchor."
          components={{ code: <Code style={{ whiteSpace: 'nowrap' }} /> }}
        />
      }
      actions={<DownloadAnchors />}
      table={AnchorTable}
      filters={{}}
      variables={() => ({})}
      empty={{
        icon: LinkIcon,
        title: t('No anchors yet'),
        description: t('The first one is signed within a day of the first change.'),
        noMatch: t('No anchors match'),
      }}
    />
  );
}
