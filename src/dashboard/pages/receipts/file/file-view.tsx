import './file.css';
import { Anchor, Center, Skeleton, Stack, Text } from '@mantine/core';
import { DocumentIcon } from '@heroicons/react/24/outline';
import { useEffect, useState, type ReactNode } from 'react';
import { t } from '../../../i18n/t.ts';
import { BlobFrame, showsPdfs } from '../../documents/pdf-frame.tsx';

/** A picture with more pixels is not shown: a small file can have so many that the page would hang. */
const maxPixels = 60_000_000;

/** The bytes of a file, with the type under which a browser shows them: never one that it would run. */
const asShown = (file: Blob, type: string): Blob => new Blob([file], { type });

type Shown =
  | { kind: 'picture' | 'pdf'; blob: Blob; url: string }
  | { kind: 'none'; reason: string }
  | { kind: 'reading' };

const beginning = '%PDF-';

/** Reads a picture's size, for which a browser does not decode it. */
const readPixels = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const picture = new Image();
    picture.addEventListener('load', () => resolve(picture.naturalWidth * picture.naturalHeight));
    picture.addEventListener('error', () => reject(new Error('no picture')));
    picture.src = url;
  });

/** How a file is shown. Who gets a URL revokes it. A picture with very many pixels is not shown, whatever its size. */
export async function findShown(file: Blob, type: string): Promise<Shown> {
  if (type === 'application/pdf') {
    const head = await file.slice(0, beginning.length).text();
    if (head !== beginning) return { kind: 'none', reason: t('This is no PDF, whatever its name says.') };
    const blob = asShown(file, type);
    return { kind: 'pdf', blob, url: URL.createObjectURL(blob) };
  }
  if (!type.startsWith('image/')) return { kind: 'none', reason: t('A file of this type can’t be shown here.') };
  const blob = asShown(file, type);
  const url = URL.createObjectURL(blob);
  const pixels = await readPixels(url).catch(() => undefined);
  if (pixels !== undefined && pixels <= maxPixels) return { kind: 'picture', blob, url };
  URL.revokeObjectURL(url);
  return {
    kind: 'none',
    reason:
      pixels === undefined
        ? t('This is no picture that can be shown.')
        : t('This picture is too large to be shown here.'),
  };
}

interface Props {
  file: Blob;
  /** The type by which it is shown: what the server found, or its name says. */
  type: string;
  /** For screen readers: `Receipt.pdf`. */
  name: string;
}

/** Shows a file's bytes without running anything of it. */
export function FileView({ file, type, name }: Props): ReactNode {
  const [shown, setShown] = useState<Shown>({ kind: 'reading' });
  useEffect(() => {
    let isGone = false;
    let made: string | undefined;
    const show = async (): Promise<void> => {
      const found = await findShown(file, type);
      if ('url' in found) made = found.url;
      if (!isGone) setShown(found);
      else if (made) URL.revokeObjectURL(made);
    };
    void show();
    return () => {
      isGone = true;
      if (made) URL.revokeObjectURL(made);
    };
  }, [file, type]);
  if (shown.kind === 'reading') return <Skeleton className="file-view" radius="md" />;
  if (shown.kind === 'picture')
    return (
      <div className="file-view" tabIndex={0} role="region" aria-label={name}>
        <img src={shown.url} alt={name} />
      </div>
    );
  if (shown.kind === 'pdf' && showsPdfs) return <BlobFrame blob={shown.blob} title={name} />;
  return (
    <Center className="file-view" p="md">
      <Stack gap="xs" align="center">
        <DocumentIcon width={40} aria-hidden />
        <Text size="sm" c="dimmed" ta="center">
          {shown.kind === 'none' ? shown.reason : t('This browser shows PDFs in a tab of their own.')}
        </Text>
        {shown.kind === 'pdf' && (
          <Anchor className="target" href={shown.url} target="_blank" size="sm">
            {t('Open {name}', { name })}
          </Anchor>
        )}
      </Stack>
    </Center>
  );
}
