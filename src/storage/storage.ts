import type { Config } from '../config/config.ts';
import type { FileStorage } from '../../schema/graphql/file-storage.ts';
import { createFolderStorage } from './folder-storage.ts';

/** The storage of files that the settings name. */
export async function openStorage({ files, filesQuota }: Pick<Config, 'files' | 'filesQuota'>): Promise<FileStorage> {
  if ('folder' in files) return createFolderStorage(files.folder, filesQuota);
  // Only who uses it loads AWS's client.
  const { createS3Storage } = await import('./s3-storage.ts');
  return createS3Storage(files, filesQuota);
}
