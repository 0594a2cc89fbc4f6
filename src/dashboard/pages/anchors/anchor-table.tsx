import { ArrowDownTrayIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Code, Group, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from '../../components/copy-button.tsx';
import { Ago } from '../../components/time.tsx';
import { count } from '../../format/format.ts';
import { graphql, type ResultOf } from '../../graphql.ts';
import type { SortableColumn } from '../../list/data-table.tsx';
import { ListTable, type ListTableProps } from '../../list/list-table.tsx';
import { PageInfoFields } from '../../list/page-info.ts';
import { t } from '../../i18n/t.ts';
import { toBlob } from '../documents/file.ts';
import { saveFile } from '../../upload/save-file.ts';

const AnchorsQuery = graphql(
  `
    query Anchors($first: Int, $after: String, $last: Int, $before: String) {
      rows: anchors(first: $first, after: $after, last: $last, before: $before) {
        totalCount
        pageInfo {
          ...PageInfoFields
        }
        nodes {
          id
          at
          documents {
            position
            hash
          }
          auditLog {
            position
            hash
          }
          keyId
          publicKey
          timestamp
          timestampedAt
        }
      }
    }
  `,
  [PageInfoFields],
);

type Anchor = ResultOf<typeof AnchorsQuery>['rows']['nodes'][number];

/** Anchors, newest first. */
export const AnchorTable = (props: ListTableProps<typeof AnchorsQuery>): ReactNode => (
  <ListTable caption={t('Anchors')} query={AnchorsQuery} columns={columns} {...props} />
);

/** The first characters of a hash or a key. The button copies all of it. */
function Shortened({ text, name }: { text: string; name: string }): ReactNode {
  return (
    <Group gap={2} wrap="nowrap">
      <Code title={text}>{text.slice(0, 12)}…</Code>
      <CopyButton value={text} name={name} />
    </Group>
  );
}

function ChainHead({ head, name }: { head: Anchor['documents']; name: string }): ReactNode {
  if (!head) return '–';
  return (
    <Group gap="xs" wrap="nowrap">
      <span className="numbers">{count(head.position)}</span>
      <Shortened text={head.hash} name={name} />
    </Group>
  );
}

/** ETSI's name of a token, as `openssl ts -verify -token_in` takes it. */
const mediaType = 'application/vnd.etsi.timestamp-token';

/** The time that an authority states, and its token. */
function Timestamp({ at, timestamp, timestampedAt }: Anchor): ReactNode {
  if (timestamp === null || timestampedAt === null) return '–';
  const label = t('Download the time-stamp');
  return (
    <Group gap={2} wrap="nowrap">
      <Ago at={timestampedAt} />
      <Tooltip label={label}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={26}
          aria-label={label}
          onClick={() => saveFile(`anchor-${at.slice(0, 10)}.tst`, toBlob({ base64: timestamp, mediaType }))}
        >
          <ArrowDownTrayIcon width={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

const columns: SortableColumn<Anchor, never>[] = [
  { header: t('Signed'), lead: true, cell: ({ at }) => <Ago at={at} /> },
  {
    header: t('Last document proof'),
    cell: ({ documents }) => <ChainHead head={documents} name={t('the hash of the last document proof')} />,
  },
  {
    header: t('Last audit log seal'),
    cell: ({ auditLog }) => <ChainHead head={auditLog} name={t('the hash of the last audit log seal')} />,
  },
  {
    header: t('Public key'),
    cell: ({ publicKey }) => <Shortened text={publicKey} name={t('the public key')} />,
  },
  { header: t('Time-stamp'), cell: Timestamp },
];
