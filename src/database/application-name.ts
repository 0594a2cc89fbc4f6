import { version } from '../../schema/version.ts';

/** The name of the service's connections in PostgreSQL. */
export const applicationName = 'kontor';

/** The name of connections with the version of their process, so that others see which versions run. */
export const versionedName = `${applicationName} ${version}`;
