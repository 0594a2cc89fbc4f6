import type { Command } from 'commander';

export interface Json {
  json?: true;
}

export const asJson = (command: Command): Command => command.option('--json', 'print one JSON value and nothing else');
