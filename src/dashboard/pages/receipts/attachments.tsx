import { Button, Card, Group, Image, Progress, Stack, Text, Title } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { ArrowDownTrayIcon, DocumentIcon, DocumentTextIcon, EyeIcon, TrashIcon } from '@heroicons/react/24/outline';
import { useEffect, useState, type ReactNode } from 'react';
import { useMutation } from 'urql';
import { confirm } from '../../components/confirm.tsx';
import { notifyError, notifySuccess } from '../../components/toast.ts';
import { bytes } from '../../format/format.ts';
import { graphql, type FragmentOf } from '../../graphql.ts';
import { useSession } from '../../session/session.tsx';
import { CameraButton } from '../../upload/camera-button.tsx';
import { DropZone } from '../../upload/drop-zone.tsx';
import { saveFile } from '../../upload/save-file.ts';
import { useAttach } from './file/add-attachment.ts';
import { findShown } from './file/file-view.tsx';
import { useFileLimits } from './file/limits.ts';
import { readBlob } from './file/stored-file.tsx';
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

export type Attachment = FragmentOf<typeof AttachmentFields>;

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
export const isShown = ({ contentType }: Attachment): boolean => contentType !== 'application/xml';
const isPicture = ({ contentType }: Attachment): boolean => contentType.startsWith('image/');

function AttachmentRow({
  receiptId,
  attachment,
  isDraft,
}: Omit<Props, 'attachments'> & { attachment: Attachment }): ReactNode {
  const [{ fetching }, remove] = useMutation(DeleteAttachment);
  const { tenant } = useSession();
  const { id, filename, length } = attachment;
  const read = (): Promise<Blob> => readBlob(tenant.id, attachment);
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

/** A small picture, or an icon for other files. A picture is read once it is scrolled to: a receipt can have many large ones. */
function Preview({ attachment }: { attachment: Attachment }): ReactNode {
  const { tenant } = useSession();
  const [source, setSource] = useState<string>();
  const { url, contentType } = attachment;
  const { ref, inViewport } = useInViewport();
  const [isReached, setIsReached] = useState(false);
  if (inViewport && !isReached) setIsReached(true);
  const isRead = isReached && isPicture(attachment);
  useEffect(() => {
    let isGone = false;
    let made: string | undefined;
    const show = async (): Promise<void> => {
      const shown = await findShown(await readBlob(tenant.id, { url, contentType }), contentType);
      if (shown.kind !== 'picture') return;
      made = shown.url;
      if (isGone) URL.revokeObjectURL(made);
      else setSource(made);
    };
    if (isRead) show().catch(() => {}); // the icon stays, as for a picture with too many pixels
    return () => {
      isGone = true;
      if (made) URL.revokeObjectURL(made);
    };
  }, [tenant.id, url, contentType, isRead]);
  const Icon = attachment.contentType === 'application/pdf' ? DocumentTextIcon : DocumentIcon;
  return (
    <div ref={ref}>
      {source ? (
        <Image src={source} alt="" w={64} h={64} fit="contain" radius="sm" />
      ) : (
        <Group w={64} h={64} justify="center" bg="var(--mantine-color-default-hover)" style={{ borderRadius: 4 }}>
          <Icon width={28} aria-hidden />
        </Group>
      )}
    </div>
  );
}

/** Uploads a file as soon as it is dropped or chosen, or the camera has taken it. */
function AddFile({ receiptId }: { receiptId: string }): ReactNode {
  const attach = useAttach();
  const limits = useFileLimits();
  const [sent, setSent] = useState<number>();
  const [problem, setProblem] = useState<string>();
  const busy = sent !== undefined;
  const upload = async (file: File): Promise<void> => {
    const known = limits.check(file);
    setProblem(known);
    if (known !== undefined) return;
    setSent(0);
    const failure = await attach(receiptId, file, setSent);
    setSent(undefined);
    setProblem(failure);
    if (failure === undefined) notifySuccess(t('{name} is attached.', { name: file.name }));
  };
  return (
    <Stack gap="xs">
      <DropZone
        label={t('Attachment')}
        file={null}
        accept={limits.accept}
        onChange={(file) => void upload(file)}
        description={limits.description}
        error={problem}
        disabled={busy}
      />
      <CameraButton accept={limits.acceptPictures} disabled={busy} onChange={(file) => void upload(file)} />
      {busy && <Progress value={sent * 100} animated={sent === 1} aria-label={t('Upload')} />}
    </Stack>
  );
}
