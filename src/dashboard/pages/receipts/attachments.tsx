import { Button, Card, Group, Image, Progress, Stack, Text, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import {
  ArrowDownTrayIcon,
  CameraIcon,
  DocumentIcon,
  DocumentTextIcon,
  EyeIcon,
  TrashIcon,
} from '@heroicons/react/24/outline';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useMutation } from 'urql';
import { confirm } from '../../components/confirm.tsx';
import { notifyError, notifySuccess } from '../../components/toast.ts';
import { buildFormErrors } from '../../errors/form-errors.ts';
import { bytes } from '../../format/format.ts';
import { graphql, type FragmentOf } from '../../graphql.ts';
import { useSession } from '../../session/session.tsx';
import { DropZone } from '../../upload/drop-zone.tsx';
import { saveFile } from '../../upload/save-file.ts';
import { uploadingFetch } from '../../upload/uploading-fetch.ts';
import { t } from '../../i18n/t.ts';

export const AttachmentFields = graphql(`
  fragment AttachmentFields on Attachment {
    id
    filename
    contentType
    length
    url
  }
`);

type Attachment = FragmentOf<typeof AttachmentFields>;

const AddAttachment = graphql(`
  mutation AddAttachment($receiptId: UUID!, $filename: String!, $file: Upload!) {
    addAttachment(receiptId: $receiptId, filename: $filename, file: $file) {
      id
    }
  }
`);

const DeleteAttachment = graphql(`
  mutation DeleteAttachment($receiptId: UUID!, $id: UUID!) {
    deleteAttachment(receiptId: $receiptId, id: $id) {
      id
    }
  }
`);

interface Props {
  receiptId: string;
  attachments: readonly Attachment[];
  /** Whether it is a draft, whose attachments can be added and removed. */
  isDraft: boolean;
}

/** The files of a receipt, the original first. */
export function Attachments({ receiptId, attachments, isDraft }: Props): ReactNode {
  if (attachments.length === 0 && !isDraft) return null;
  return (
    <Card withBorder radius="md" component="section" aria-labelledby="attachments">
      <Stack gap="md">
        <Title order={2} size="h4" id="attachments">
          {t('Attachments')}
        </Title>
        {attachments.length > 0 && (
          <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: 'none' }}>
            {attachments.map((attachment) => (
              <AttachmentRow key={attachment.id} receiptId={receiptId} attachment={attachment} isDraft={isDraft} />
            ))}
          </Stack>
        )}
        {isDraft && <AddFile receiptId={receiptId} />}
      </Stack>
    </Card>
  );
}

/** Types that a browser shows in a tab. XML is only saved: a page of ours must not show a stranger's. */
const isShown = ({ contentType }: Attachment): boolean => contentType !== 'application/xml';
const isPicture = ({ contentType }: Attachment): boolean => contentType.startsWith('image/');

/** Reads an attachment's bytes. @throws Error with a sentence for the user */
async function readBlob(tenantId: string, url: string, type: string): Promise<Blob> {
  const { pathname } = new URL(url, location.href);
  const response = await fetch(pathname, { headers: { 'X-Tenant': tenantId }, credentials: 'same-origin' });
  if (!response.ok) throw new Error(t('The file can’t be read at the moment.'));
  return new Blob([await response.arrayBuffer()], { type });
}

function AttachmentRow({
  receiptId,
  attachment,
  isDraft,
}: Omit<Props, 'attachments'> & { attachment: Attachment }): ReactNode {
  const [{ fetching }, remove] = useMutation(DeleteAttachment);
  const { tenant } = useSession();
  const { id, filename, length, url, contentType } = attachment;
  const read = (): Promise<Blob> => readBlob(tenant.id, url, contentType);
  const open = async (): Promise<void> => {
    // A window that is opened later, without a click, would be blocked.
    const tab = window.open('', '_blank');
    try {
      tab?.location.replace(URL.createObjectURL(await read()));
    } catch (error) {
      tab?.close();
      notifyError((error as Error).message);
    }
  };
  const save = (): Promise<void> =>
    read().then(
      (blob) => saveFile(filename, blob),
      (error: Error) => notifyError(error.message),
    );
  const confirmAndRemove = async (): Promise<void> => {
    const confirmed = await confirm({
      title: t('Remove the attachment?'),
      children: t('{name} is removed from the receipt.', { name: filename }),
      confirm: t('Remove'),
      danger: true,
    });
    if (!confirmed) return;
    const { error } = await remove({ receiptId, id });
    if (error) notifyError(error);
    else notifySuccess(t('{name} is removed.', { name: filename }));
  };
  return (
    <Group component="li" wrap="wrap" gap="md">
      <Preview attachment={attachment} />
      <div style={{ flex: '1 1 10rem', minWidth: 0 }}>
        <Text style={{ overflowWrap: 'anywhere' }}>{filename}</Text>
        <Text size="sm" c="dimmed">
          {bytes(length)}
        </Text>
      </div>
      <Group gap="xs">
        {isShown(attachment) && (
          <Button
            variant="default"
            size="sm"
            leftSection={<EyeIcon width={18} aria-hidden />}
            aria-label={t('Open {name}', { name: filename })}
            onClick={() => void open()}
          >
            {t('Open_verb')}
          </Button>
        )}
        <Button
          variant="default"
          size="sm"
          leftSection={<ArrowDownTrayIcon width={18} aria-hidden />}
          aria-label={t('Download {name}', { name: filename })}
          onClick={() => void save()}
        >
          {t('Download')}
        </Button>
        {isDraft && (
          <Button
            variant="default"
            size="sm"
            c="red"
            loading={fetching}
            leftSection={<TrashIcon width={18} aria-hidden />}
            aria-label={t('Remove {name}', { name: filename })}
            onClick={() => void confirmAndRemove()}
          >
            {t('Remove')}
          </Button>
        )}
      </Group>
    </Group>
  );
}

/** A small picture, or an icon for other files. */
function Preview({ attachment }: { attachment: Attachment }): ReactNode {
  const { tenant } = useSession();
  const [source, setSource] = useState<string>();
  const { url, contentType } = attachment;
  const isVisible = isPicture(attachment);
  useEffect(() => {
    let isGone = false;
    let made: string | undefined;
    const show = async (): Promise<void> => {
      const blob = await readBlob(tenant.id, url, contentType);
      if (!isGone) setSource((made = URL.createObjectURL(blob)));
    };
    if (isVisible) show().catch(() => {}); // the icon stays
    return () => {
      isGone = true;
      if (made) URL.revokeObjectURL(made);
    };
  }, [tenant.id, url, contentType, isVisible]);
  const Icon = attachment.contentType === 'application/pdf' ? DocumentTextIcon : DocumentIcon;
  return source ? (
    <Image src={source} alt="" w={64} h={64} fit="contain" radius="sm" />
  ) : (
    <Group w={64} h={64} justify="center" bg="var(--mantine-color-default-hover)" style={{ borderRadius: 4 }}>
      <Icon width={28} aria-hidden />
    </Group>
  );
}

/** Uploads a file as soon as it is dropped or chosen, or the camera has taken it. */
function AddFile({ receiptId }: { receiptId: string }): ReactNode {
  const [, add] = useMutation(AddAttachment);
  const [sent, setSent] = useState<number>();
  const [problem, setProblem] = useState<string>();
  const hasCamera = useMediaQuery('(pointer: coarse)');
  const camera = useRef<HTMLInputElement>(null);
  const busy = sent !== undefined;
  const upload = async (file: File): Promise<void> => {
    setProblem(undefined);
    setSent(0);
    const variables = { receiptId, filename: file.name, file };
    const { error } = await add(variables, { fetch: uploadingFetch(setSent) });
    setSent(undefined);
    if (!error) return notifySuccess(t('{name} is attached.', { name: file.name }));
    const { fields, rest } = buildFormErrors(error, () => true);
    setProblem([...Object.values(fields), ...rest].join(' '));
  };
  return (
    <Stack gap="xs">
      <DropZone
        label={t('Attachment')}
        file={null}
        onChange={(file) => void upload(file)}
        description={t('PDF, JPEG, PNG, WebP or XML, at most 25 MiB')}
        error={problem}
        disabled={busy}
      />
      {hasCamera && (
        <Group>
          <Button
            variant="default"
            leftSection={<CameraIcon width={18} aria-hidden />}
            aria-disabled={busy}
            onClick={() => !busy && camera.current?.click()}
          >
            {t('Take a photo')}
          </Button>
          <input
            ref={camera}
            type="file"
            hidden
            accept="image/*"
            capture="environment"
            aria-label={t('Photo')}
            onChange={({ currentTarget }) => {
              const [taken] = currentTarget.files ?? [];
              if (taken) void upload(taken);
              currentTarget.value = '';
            }}
          />
        </Group>
      )}
      {busy && <Progress value={sent * 100} animated={sent === 1} aria-label={t('Upload')} />}
    </Stack>
  );
}
