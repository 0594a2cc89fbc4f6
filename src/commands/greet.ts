import type { Demo } from '../demo-data.ts';
import { say } from '../output.ts';

/** What `start` says once it answers. */
export function greet(url: string, demo: Demo | undefined): void {
  say('');
  say('Kontor is running.');
  say('');
  say(`  Dashboard  ${url}/`);
  say(`  Guides     ${url}/docs/quick-start`);
  say(`  REST       ${url}/api/v1`);
  say(`  GraphQL    ${url}/graphql`);
  say(`  Health     ${url}/health/ready`);
  if (demo) {
    say('');
    say('A demo tenant was made. Shown this once:');
    say('');
    say(`  Login      ${demo.email}`);
    say(`  Password   ${demo.password}`);
    say(`  API token  ${demo.token}`);
    say('');
    say('A first request:');
    say('');
    say(`  curl -s -H 'Authorization: Bearer ${demo.token}' '${url}/api/v1/invoices?status=issued'`);
  } else {
    say('');
    say('For a new API token: npm run -s kontor -- tenant list, then npm run -s kontor -- token create --tenant ID');
  }
  say('');
  say('Ctrl-C stops everything.');
  say('');
}
