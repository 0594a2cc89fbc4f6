import { Button } from '@mantine/core';
import { ArrowDownTrayIcon, XMarkIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { confirm } from '../../components/confirm.tsx';
import { notifyError, notifySuccess } from '../../components/toast.ts';
import { graphql } from '../../graphql.ts';
import { useSession } from '../../session/session.tsx';
import type { Export } from './fields.ts';
import { hasExpired, isUnfinished } from './state.tsx';
import { getTitle } from './texts.ts';
import { t } from '../../i18n/t.ts';

const CancelExport = graphql(`
  mutation CancelExport($id: UUID!) {
    cancelExport(id: $id) {
      id
      status
    }
  }
`);

/** The action that the export's state allows. */
export function ExportActions({ row }: { row: Export }): ReactNode {
  if (isUnfinished(row)) return <CancelButton row={row} />;
  return row.status === 'COMPLETED' && !hasExpired(row) ? <DownloadLink row={row} /> : null;
}

/** The browser saves the file as it arrives: it may have 2 GiB, too much for a script's memory. */
function DownloadLink({ row: { id, fileName } }: { row: Export }): ReactNode {
  const { tenant } = useSession();
  return (
    <Button
      component="a"
      href={`/api/v1/exports/${id}/file?${new URLSearchParams({ tenant: tenant.id }).toString()}`}
      download={fileName ?? true}
      variant="light"
      size="xs"
      leftSection={<ArrowDownTrayIcon width={16} aria-hidden />}
      aria-label={t('Download {name}', { name: fileName ?? '' })}
    >
      {t('Download')}
    </Button>
  );
}

function CancelButton({ row }: { row: Export }): ReactNode {
  const [{ fetching }, cancel] = useMutation(CancelExport);
  const cancelNow = async (): Promise<void> => {
    const isSure = await confirm({
      title: t('Cancel the export?'),
      children: t('{name}: there will be no file.', { name: getTitle(row) }),
      confirm: t('Cancel the export'),
      cancel: t('Let it go on'),
      danger: true,
    });
    if (!isSure) return;
    const { error } = await cancel({ id: row.id });
    if (error) notifyError(error);
    else notifySuccess(t('The export is cancelled.'));
  };
  return (
    <Button
      variant="default"
      c="red"
      size="xs"
      leftSection={<XMarkIcon width={16} aria-hidden />}
      aria-label={t('Cancel {name}', { name: getTitle(row) })}
      loading={fetching}
      onClick={() => void cancelNow()}
    >
      {t('Cancel')}
    </Button>
  );
}
