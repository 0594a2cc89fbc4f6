import { Skeleton, Text } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { t } from '../../../i18n/t.ts';
import { useSession } from '../../../session/session.tsx';
import type { Attachment } from '../attachments.tsx';
import { FileView } from './file-view.tsx';

/** Reads an attachment's bytes. @throws Error with a sentence for the user */
export async function readBlob(
  tenantId: string,
  { url, contentType }: Pick<Attachment, 'url' | 'contentType'>,
): Promise<Blob> {
  const { pathname } = new URL(url, location.href);
  const response = await fetch(pathname, { headers: { 'X-Tenant': tenantId }, credentials: 'same-origin' });
  if (!response.ok) throw new Error(t('The file can’t be read at the moment.'));
  return new Blob([await response.arrayBuffer()], { type: contentType });
}

/** An attachment within the page. */
export function StoredFile({ attachment }: { attachment: Attachment }): ReactNode {
  const { tenant } = useSession();
  const [read, setRead] = useState<Blob | string>();
  const { url, contentType, filename } = attachment;
  useEffect(() => {
    let isGone = false;
    readBlob(tenant.id, { url, contentType }).then(
      (blob) => !isGone && setRead(blob),
      (error: Error) => !isGone && setRead(error.message),
    );
    return () => {
      isGone = true;
    };
  }, [tenant.id, url, contentType]);
  if (typeof read === 'string') return <Text c="dimmed">{read}</Text>;
  if (!read) return <Skeleton className="file-view" radius="md" />;
  return <FileView file={read} type={contentType} name={filename} />;
}
