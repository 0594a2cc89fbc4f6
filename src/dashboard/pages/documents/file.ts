import { graphql, type FragmentOf } from '../../graphql.ts';

export const SavedFile = graphql(`
  fragment SavedFile on DocumentFile {
    fileName
    mediaType
    base64
  }
`);

export type File = Pick<FragmentOf<typeof SavedFile>, 'fileName' | 'mediaType' | 'base64'>;

export function toBlob({ base64, mediaType }: Omit<File, 'fileName'>): Blob {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new Blob([bytes], { type: mediaType });
}
