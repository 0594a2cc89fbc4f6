import type { ReactNode } from 'react';
import { useClient, type Client } from 'urql';
import { DownloadLines } from '../../components/download-lines.tsx';
import { graphql, type ResultOf } from '../../graphql.ts';
import { t } from '../../i18n/t.ts';

const SignedAnchorsQuery = graphql(`
  query SignedAnchors($first: Int, $after: String) {
    anchors(first: $first, after: $after) {
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        id
        content
        publicKey
        signature
        timestamp
      }
    }
  }
`);

type Anchors = ResultOf<typeof SignedAnchorsQuery>['anchors'];

const largestPage = 100;

/** A file with all anchors, a line for each, as `kontor verify --expect-file` takes it. */
export function DownloadAnchors(): ReactNode {
  const client = useClient();
  return (
    <DownloadLines fileName="anchors.jsonl" read={() => readAll(client)}>
      {t('Download all anchors')}
    </DownloadLines>
  );
}

/** With REST's names, which `kontor verify` knows. */
const toJsonLine = ({ content, publicKey, signature, timestamp }: Anchors['nodes'][number]): string =>
  `${JSON.stringify({ content, public_key: publicKey, signature, ...(timestamp !== null && { timestamp }) })}\n`;

async function readAll(client: Client): Promise<string[]> {
  const lines: string[] = [];
  for (let after: string | null = null; ;) {
    const result = await client
      .query(SignedAnchorsQuery, { first: largestPage, after }, { requestPolicy: 'network-only' })
      .toPromise();
    if (result.error) throw result.error;
    const anchors: Anchors | undefined = result.data?.anchors;
    if (!anchors) return lines;
    lines.push(...anchors.nodes.map(toJsonLine));
    if (!anchors.pageInfo.hasNextPage) return lines;
    after = anchors.pageInfo.endCursor;
  }
}
