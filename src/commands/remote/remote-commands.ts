import type { Command } from 'commander';
import type { LateCommands } from '../program.ts';

export const groupTitle = 'A remote installation, by a profile, or by --url and --token:';

/** Those that reach a remote installation, beside the commands of its REST API. */
export const remoteCommands = (program: Command): LateCommands[] => [
  [['bulk'], async () => (await import('../bulk/bulk.ts')).addBulkCommand(program)],
  [['listen'], async () => (await import('../webhooks/listen.ts')).addListenCommand(program)],
  [['logs'], async () => (await import('../webhooks/logs.ts')).addLogsCommand(program)],
  [['trigger'], async () => (await import('../webhooks/trigger.ts')).addTriggerCommand(program)],
  [['graphql'], async () => (await import('./graphql-command.ts')).addGraphqlCommand(program)],
  [['login', 'logout', 'profiles'], async () => (await import('./login.ts')).addProfileCommands(program)],
];
