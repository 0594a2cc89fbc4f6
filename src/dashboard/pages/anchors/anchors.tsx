import { LinkIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { ListPage } from '../../list/list-page.tsx';
import { AnchorTable } from './anchor-table.tsx';
import { DownloadAnchors } from './download.tsx';
import { t } from '../../i18n/t.ts';

export default function Anchors(): ReactNode {
  return (
    <ListPage
      title={t('Anchors')}
      description={t(
        'Signed once a day if the books have changed. Keep the file outside of Kontor: "kontor verify --expect-file" then proves all documents and the audit log up to each anchor.',
      )}
      table={AnchorTable}
      filters={{}}
      variables={() => ({})}
      empty={{
        icon: LinkIcon,
        title: t('No anchors yet'),
        description: t('The first one is signed within a day of the first change.'),
        noMatch: t('No anchors match'),
      }}
    >
      <DownloadAnchors />
    </ListPage>
  );
}
