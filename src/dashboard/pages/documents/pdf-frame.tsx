import { Skeleton } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { useQuery, type TypedDocumentNode } from 'urql';
import { LoadError } from '../../errors/error-boundary.tsx';
import { toBlob, type File } from './file.ts';

/** Whether the browser shows PDFs within a page. On most phones, none does. */
export const showsPdfs = navigator.pdfViewerEnabled;

interface Props {
  query: TypedDocumentNode<{ file: File | null }, { id: string }>;
  id: string;
  title: string;
}

/** A document's PDF within the page, as it is now. */
export function PdfFrame({ query, id, title }: Props): ReactNode {
  const [{ data, error }, refetch] = useQuery({ query, variables: { id }, requestPolicy: 'network-only' });
  const file = data?.file;
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    if (!file || !frame.current) return undefined;
    const made = URL.createObjectURL(toBlob(file));
    frame.current.src = `${made}#toolbar=0&navpanes=0&view=FitH`;
    return () => URL.revokeObjectURL(made);
  }, [file]);
  if (error && !file) return <LoadError error={error} refetch={refetch} />;
  // Half of a screen's height at least, as a page is higher than wide.
  if (!file) return <Skeleton h="70dvh" radius="md" />;
  // eslint-disable-next-line react/iframe-missing-sandbox -- Chromium shows no PDF in a sandbox
  return <iframe className="pdf" ref={frame} title={title} />;
}
