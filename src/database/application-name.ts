import { version } from '../../schema/version.ts';

/** What the service's connections are called in PostgreSQL. */
export const applicationName = 'kontor';

/** The name of connections with the version of their process, so that others see which versions run. */
export const versionedName = `${applicationName} ${version}`;
