import { Skeleton, Stack, Text } from '@mantine/core';
import { useDocumentVisibility } from '@mantine/hooks';
import { useEffect, useEffectEvent, useRef, useState, type ReactNode } from 'react';
import { useClient, type Client } from 'urql';
import { errorMessage } from '../../../errors/form-errors.ts';
import { graphql } from '../../../graphql.ts';
import { SavedFile, toBlob } from '../../documents/file.ts';
import type { checkedInput } from './editor-preflight.tsx';
import { t } from '../../../i18n/t.ts';

const PreviewQuery = graphql(
  `
    query NewInvoicePdf($input: CreateInvoiceInput!) {
      file: newInvoicePdf(input: $input) {
        ...SavedFile
      }
    }
  `,
  [SavedFile],
);

type Input = NonNullable<ReturnType<typeof checkedInput>>;

/** Makes the PDF of an invoice that isn't stored. */
export const readPreview = (client: Client, input: Input) =>
  client.query(PreviewQuery, { input }, { requestPolicy: 'network-only' }).toPromise();

/** The time from one PDF to the next, because making one takes a while. In milliseconds. */
const pause = 2000;
/** How long the browser's viewer takes to draw what it has loaded. In milliseconds. */
const drawing = 500;

/** The PDF of the newest input that is complete, made again as it changes: one at a time, and only while it is looked at. */
function usePreview(input: Input | undefined) {
  const client = useClient();
  const isVisible = useDocumentVisibility() === 'visible';
  const [isBusy, setBusy] = useState(false);
  const [shown, setShown] = useState<{ url?: string; problem?: string }>({});
  const last = useRef({ text: '', at: 0 });
  const text = input && JSON.stringify(input);
  const ask = useEffectEvent(async () => {
    if (!input || text === undefined) return;
    last.current = { text, at: Date.now() };
    setBusy(true);
    const { data, error } = await readPreview(client, input);
    setBusy(false);
    if (data) setShown({ url: URL.createObjectURL(toBlob(data.file)) });
    else if (error) setShown(({ url }) => ({ ...(url !== undefined && { url }), problem: errorMessage(error) }));
  });
  useEffect(() => {
    if (text === undefined || text === last.current.text || isBusy || !isVisible) return undefined;
    const timer = setTimeout(() => void ask(), Math.max(0, last.current.at + pause - Date.now()));
    return () => clearTimeout(timer);
  }, [text, isBusy, isVisible]);
  return shown;
}

/** The PDF beside the form. A new one is shown once the browser has drawn it, so that nothing flickers. */
export function LivePreview({ input }: { input: Input | undefined }): ReactNode {
  const { url, problem } = usePreview(input);
  const [drawn, setDrawn] = useState<string>();
  useEffect(() => {
    if (drawn !== undefined) return () => URL.revokeObjectURL(drawn);
    return undefined;
  }, [drawn]);
  const frames = [...new Set([drawn, url])].filter((each) => each !== undefined);
  return (
    <Stack className="live-preview" gap="xs" component="section" aria-label={t('Preview of the invoice')}>
      {problem !== undefined && (
        <Text size="sm" c="dimmed">
          {problem}
        </Text>
      )}
      {frames.length > 0 ? (
        <div className="live-preview-frames">
          {frames.map((each) => (
            // eslint-disable-next-line react/iframe-missing-sandbox -- Chromium shows no PDF in a sandbox
            <iframe
              key={each}
              className="pdf"
              src={`${each}#toolbar=0&navpanes=0&view=FitH`}
              title={t('Preview of the invoice')}
              aria-hidden={each === drawn || drawn === undefined ? undefined : true}
              onLoad={() => setTimeout(() => setDrawn(each), drawing)}
            />
          ))}
        </div>
      ) : input ? (
        <Skeleton h="100%" radius="md" />
      ) : (
        <Text className="live-preview-empty" size="sm" c="dimmed">
          {t('The PDF is shown as soon as customer and lines are filled in.')}
        </Text>
      )}
    </Stack>
  );
}
