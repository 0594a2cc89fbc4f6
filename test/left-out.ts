import type { Reporter } from 'vitest/node';
import { requireBrowser, chromiumPath } from './dashboard/chromium.ts';
import { isInstalled, languages } from './docs/languages.ts';
import { noPooler } from './pooler/pgbouncer.ts';

/** Says at the end of a run what was not tested because this machine lacks something, and how it would be. */
export default class LeftOut implements Reporter {
  onTestRunEnd(): void {
    const say = (text: string): void => void process.stderr.write(`${text}\n`);
    if (chromiumPath() === undefined && !requireBrowser) {
      say('\nThe tests in a real browser did NOT run: there is no Chromium. To run them: apt-get install chromium');
      say('(or name one by CHROMIUM=/path/to/it). With REQUIRE_BROWSER=1 its absence is a failure.');
    }
    if (noPooler) {
      say('\nThe tests behind a pooler did NOT run: there is no pgbouncer. To run them: apt-get install pgbouncer');
      say('(or name one by PGBOUNCER=/path/to/it). With REQUIRE_PGBOUNCER=1 its absence is a failure.');
    }
    const missing = languages.filter((language) => !isInstalled(language));
    if (missing.length === 0) return;
    say(`\nWebhook receivers of the guide that did NOT run: ${missing.map(({ name }) => name).join(', ')}.`);
    say(`To run them: apt-get install ${missing.map(({ debian }) => debian).join(' ')}`);
  }
}
