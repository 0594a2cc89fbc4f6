import type { Reporter, TestModule } from 'vitest/node';
import { noWrk } from './bench/wrk-installed.ts';
import { clusterUrl } from './citus/cluster.ts';
import { chromiumPath, headlessPath, requireBrowser } from './dashboard/chromium.ts';
import { isInstalled, languages } from './docs/languages.ts';
import { noPdfTools, pdfToolPackages } from './documents/programs.ts';
import { noNginx } from './faults/nginx.ts';
import { noFrontEnds } from './front-ends/installed.ts';
import { noGenerators } from './generators/installed.ts';
import { noNodes } from './packages/nodes.ts';
import { noPromtool } from './metrics/promtool.ts';
import { noS3Server } from './storage/s3-server.ts';
import { noPooler } from './pooler/pgbouncer.ts';

/** Reports at the end of a run which tests did not run because a program is missing, and how to install it. */
export default class LeftOut implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const print = (text: string): void => void process.stderr.write(`${text}\n`);
    if (chromiumPath() === undefined && !requireBrowser) {
      const tests = headlessPath() === undefined ? 'tests in a real browser' : 'tests of PDFs in a real browser';
      print(`\nThe ${tests} did NOT run: there is no Chromium. To run them: apt-get install chromium`);
      print('(or name one by CHROMIUM=/path/to/it). With REQUIRE_BROWSER=1 its absence is a failure.');
    }
    if (noPooler) {
      print('\nThe tests behind a pooler did NOT run: there is no pgbouncer. To run them: apt-get install pgbouncer');
      print('(or name one by PGBOUNCER=/path/to/it). With REQUIRE_PGBOUNCER=1 its absence is a failure.');
    }
    if (noNginx) {
      print('\nThe test behind nginx did NOT run: there is no nginx. To run it: apt-get install nginx-light');
      print('(or name one by NGINX=/path/to/it). With REQUIRE_NGINX=1 its absence is a failure.');
    }
    if (noPromtool) {
      print(
        '\nThe tests of alerts by Prometheus did NOT run: there is no promtool. To run them: apt-get install prometheus',
      );
      print('With REQUIRE_PROMTOOL=1 its absence is a failure.');
    }
    if (noWrk) {
      print('\nThe test of the benchmark did NOT run: there is no wrk. To run it: apt-get install wrk');
      print('With REQUIRE_WRK=1 its absence is a failure.');
    }
    if (noFrontEnds) {
      print('\nThe tests of GraphQL clients did NOT run: their packages are not installed. To run them:');
      print('npm ci --prefix test/front-ends. With REQUIRE_FRONT_ENDS=1 their absence is a failure.');
    }
    if (noGenerators) {
      print(
        '\nThe test of clients generated from the OpenAPI description did NOT run: its packages are not installed. To run it:',
      );
      print('npm ci --prefix test/generators --ignore-scripts. With REQUIRE_GENERATORS=1 its absence is a failure.');
    }
    if (noNodes) {
      print('\nThe test of the packages for npm ran on one version of Node only. To run it on Node 20, 22, and 24:');
      print('npm ci --prefix test/packages --ignore-scripts. With REQUIRE_NODES=1 their absence is a failure.');
    }
    if (noS3Server) {
      print('\nThe tests with an S3 server did NOT run: it is not installed. To run them:');
      print('npm ci --prefix test/storage/s3 --ignore-scripts. With REQUIRE_S3_SERVER=1 its absence is a failure.');
    }
    if (noPdfTools) {
      print('\nThe tests of PDFs by other programs did NOT run: some of these are missing. To run them:');
      print(`apt-get install ${pdfToolPackages}. With REQUIRE_PDF_TOOLS=1 their absence is a failure.`);
    }
    if (clusterUrl === undefined) {
      print(
        '\nThe tests on a Citus cluster did NOT run: CITUS_URL names none. To run all tests of the API there: with CITUS_URL',
      );
      print('of a superuser and a database that lists the workers in pg_dist_node, npm run test:api.');
    } else {
      const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')]);
      print(
        `\nOn the cluster, ${skipped.length} tests did NOT run. If a cluster can't, the file says why, by onCluster('…'):`,
      );
      for (const { module, fullName } of skipped) print(`  ${module.relativeModuleId}: ${fullName.split('\n', 1)[0]}`);
    }
    const missing = languages.filter((language) => !isInstalled(language));
    if (missing.length === 0) return;
    print(`\nWebhook receivers of the guide that did NOT run: ${missing.map(({ name }) => name).join(', ')}.`);
    print(`To run them: apt-get install ${missing.map(({ debian }) => debian).join(' ')}`);
  }
}
