import { useQuery } from 'urql';
import { bytes, count } from '../../../format/format.ts';
import { graphql } from '../../../graphql.ts';
import { t } from '../../../i18n/t.ts';

const AttachmentLimitsQuery = graphql(`
  query AttachmentLimits {
    attachmentLimits {
      contentTypes
      maxBytes
    }
  }
`);

/** Browsers' names of types, with the server's names where these differ. */
const synonyms: Readonly<Record<string, string>> = { 'text/xml': 'application/xml' };

/** A file's type as its name says. The server decides by the content. */
export const getType = ({ type }: Blob): string => synonyms[type] ?? type;

/** `image/webp` → `WEBP` */
const getShortName = (type: string): string => (type.split('/')[1] ?? type).toUpperCase();

interface FileLimits {
  /** The types of files that a browser offers to choose. */
  accept: string;
  /** The same of pictures: a phone converts its own format to one of them. */
  acceptPictures: string;
  /** `PDF, JPEG, PNG, at most 25 MiB` */
  description: string;
  /** @returns why the server would refuse a file */
  check: (file: File) => string | undefined;
}

/** Which files the server takes as attachments. Until that is read, it refuses them itself. */
export function useFileLimits(): FileLimits {
  const [{ data }] = useQuery({ query: AttachmentLimitsQuery, requestPolicy: 'cache-first' });
  if (!data) return { accept: '', acceptPictures: 'image/*', description: '', check: () => undefined };
  const { contentTypes, maxBytes } = data.attachmentLimits;
  const types = contentTypes.map(getShortName).join(', ');
  return {
    accept: [...contentTypes, ...Object.keys(synonyms)].join(','),
    acceptPictures: contentTypes.filter((type) => type.startsWith('image/')).join(','),
    description: t('{types}, at most {size} MiB', { types, size: count(maxBytes / 2 ** 20) }),
    check: (file) => {
      if (file.size > maxBytes)
        return t('{name} has {size}. A file can have at most {max} MiB.', {
          name: file.name,
          size: bytes(file.size),
          max: count(maxBytes / 2 ** 20),
        });
      const type = getType(file);
      if (type !== '' && !contentTypes.includes(type))
        return t('{name} is none of these: {types}.', { name: file.name, types });
      return undefined;
    },
  };
}
