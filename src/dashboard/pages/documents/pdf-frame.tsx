import { Skeleton } from '@mantine/core';
import { useEffect, useEffectEvent, useMemo, useRef, useState, type ReactNode } from 'react';
import { useClient, type OperationResult, type TypedDocumentNode } from 'urql';
import { LoadError } from '../../errors/error-boundary.tsx';
import { toBlob, type File } from './file.ts';

/** Whether the browser shows PDFs within a page. On most phones, none does. */
export const showsPdfs = navigator.pdfViewerEnabled;

interface Props {
  query: TypedDocumentNode<{ file: File | null }, { id: string }>;
  id: string;
  title: string;
}

/**
 * A document's PDF within the page, as it is when the frame is made. It is no query of the page, which would make the PDF anew
 * with each change of the books; give the frame a key to have it made again.
 */
export function PdfFrame({ query, id, title }: Props): ReactNode {
  const client = useClient();
  const [result, setResult] = useState<Pick<OperationResult<{ file: File | null }>, 'data' | 'error'>>();
  const ask = () => client.query(query, { id }, { requestPolicy: 'network-only' }).toPromise();
  const askFirst = useEffectEvent(ask);
  useEffect(() => {
    void askFirst().then(setResult);
  }, []);
  const file = result?.data?.file;
  const blob = useMemo(() => file && toBlob(file), [file]);
  if (result?.error) return <LoadError error={result.error} refetch={() => void ask().then(setResult)} />;
  // Half of a screen's height at least, as a page is higher than wide.
  return blob ? <BlobFrame blob={blob} title={title} /> : <Skeleton h="70dvh" radius="md" />;
}

/** The bytes of a PDF within the page. Their type says that they are one: the browser runs nothing of another file. */
export function BlobFrame({ blob, title }: { blob: Blob; title: string }): ReactNode {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    if (!frame.current) return undefined;
    const made = URL.createObjectURL(blob);
    frame.current.src = `${made}#toolbar=0&navpanes=0&view=FitH`;
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  // eslint-disable-next-line react/iframe-missing-sandbox -- Chromium shows no PDF in a sandbox
  return <iframe className="pdf" ref={frame} title={title} />;
}
