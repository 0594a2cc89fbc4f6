import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { alertsFile, rules } from './alert-rules.ts';
import { noPromtool, promtool } from './promtool.ts';

// Each example alert fires in the situation that it names, by Prometheus's own evaluation, and a healthy installation causes none.

/** Values of series, a minute apart, in promtool's notation: `0+6x30` grows by six a minute, `1x30` stays. */
type Series = Record<string, string>;

const attempts = 'kontor_webhook_attempt_duration_seconds_count';
const requests = 'kontor_http_request_duration_seconds';
const ofProcess = '{job="kontor",instance="a"}';

/** An installation in use, of which some requests and deliveries fail. */
const healthy: Series = {
  [`up${ofProcess}`]: '1x200',
  [`process_start_time_seconds${ofProcess}`]: '1000x200',
  [`process_resident_memory_bytes${ofProcess}`]: '300000000x200',
  [`nodejs_eventloop_lag_p99_seconds${ofProcess}`]: '0.02x200',
  kontor_process_restarts_total: '0x200',
  kontor_ready: '1x200',
  kontor_citus_move_leftovers: '0x200',
  'kontor_database_errors_total{code="connection"}': '0x200',
  'kontor_database_errors_total{code="25006"}': '0x200',
  'kontor_database_errors_total{code="53100"}': '0x200',
  'kontor_database_errors_total{code="53300"}': '0x200',
  [`${requests}_count{api="rest",status="2xx"}`]: '0+600x200',
  [`${requests}_bucket{api="rest",le="0.5"}`]: '0+599x200',
  [`${requests}_bucket{api="rest",le="2.5"}`]: '0+600x200',
  [`${requests}_bucket{api="rest",le="+Inf"}`]: '0+600x200',
  'kontor_database_pool_connections{state="waiting"}': '0 3 0 0 0 0 2 0x200',
  kontor_internal_errors_total: '0 1 1 1 1 1 1 1 2x200',
  kontor_workers: '2x200',
  'kontor_queue_oldest_due_seconds{task="deliver"}': '4x200',
  'kontor_queue_jobs{state="dead",task="deliver"}': '0x200',
  'kontor_job_failures_total{task="deliver",reason="timeout"}': '0 1 2 2 2x200',
  [`${attempts}{outcome="success"}`]: '0+60x200',
  [`${attempts}{outcome="timeout"}`]: '0+10x200',
  kontor_webhooks_deactivated_total: '0x200',
  kontor_backup_last_success_timestamp_seconds: '0x200',
  'kontor_sign_ins_total{outcome="rejected"}': '0+2x200',
  'kontor_rate_limit_total{outcome="admitted"}': '0+600x200',
  'kontor_rate_limit_total{outcome="refused"}': '0+30x200',
  'kontor_http_connections_closed_total{outcome="refused"}': '0x200',
};

interface Situation {
  is: string;
  /** The series that differ from those of a healthy installation; undefined: one that is not there. */
  but: Record<string, string | undefined>;
  /** The alerts that fire after half an hour, with the labels that they have of the series. */
  fires: Record<string, Record<string, string>>;
  /** Another time, in minutes. */
  after?: number;
}

const byProcess = { job: 'kontor', instance: 'a' };

const situations: Situation[] = [
  { is: 'a healthy installation', but: {}, fires: {} },
  { is: 'a process that does not answer', but: { [`up${ofProcess}`]: '0x200' }, fires: { KontorDown: byProcess } },
  {
    is: 'a process that ends every few minutes',
    but: { [`process_start_time_seconds${ofProcess}`]: '0x4 300x4 600x4 900x4 1200x4 1500x4 1800x100' },
    fires: { KontorRestarting: byProcess },
  },
  {
    is: 'processes that their primary starts again',
    but: { kontor_process_restarts_total: '0x15 1 2 3 4 5 6 7 8 9x100' },
    fires: { KontorRestarting: {} },
  },
  {
    is: 'a database that is away: neither Kontor nor its workers are named',
    but: {
      kontor_ready: '0x200',
      'kontor_database_errors_total{code="connection"}': '0+60x200',
      [`${requests}_count{api="rest",status="2xx"}`]: '0x200',
      [`${requests}_count{api="rest",status="5xx"}`]: '0+600x200',
      kontor_workers: undefined,
      'kontor_queue_oldest_due_seconds{task="deliver"}': undefined,
      'kontor_queue_jobs{state="dead",task="deliver"}': undefined,
    },
    fires: { KontorDatabaseUnreachable: {}, KontorDatabaseConnectionsLost: {} },
  },
  {
    is: 'a move between workers of Citus that was broken off',
    but: { kontor_citus_move_leftovers: '1x200' },
    fires: { KontorMoveLeftovers: {} },
  },
  {
    is: 'a slow database',
    but: { [`${requests}_bucket{api="rest",le="0.5"}`]: '0+500x200' },
    fires: { KontorDatabaseSlow: {} },
  },
  {
    is: 'requests that wait for connections',
    but: { 'kontor_database_pool_connections{state="waiting"}': '3x200' },
    fires: { KontorOutOfConnections: { state: 'waiting' } },
  },
  {
    is: 'a database without a connection left',
    but: { 'kontor_database_errors_total{code="53300"}': '0x26 1x100' },
    fires: { KontorDatabaseRefusesConnections: { code: '53300' } },
  },
  {
    is: 'a database that takes no writes',
    but: { 'kontor_database_errors_total{code="25006"}': '0x26 1x100' },
    fires: { KontorDatabaseReadOnly: { code: '25006' } },
  },
  {
    is: 'a full disk of the database',
    but: { 'kontor_database_errors_total{code="53100"}': '0x26 1x100' },
    fires: { KontorDatabaseDiskFull: { code: '53100' } },
  },
  {
    is: 'requests that are answered with 500',
    but: { kontor_internal_errors_total: '0+6x200' },
    fires: { KontorFaults: {} },
  },
  { is: 'no worker', but: { kontor_workers: '0x200' }, fires: { KontorNoWorker: {} } },
  {
    is: 'jobs that wait',
    but: { 'kontor_queue_oldest_due_seconds{task="deliver"}': '0+60x200' },
    fires: { KontorQueueBackedUp: { task: 'deliver' } },
  },
  {
    is: 'jobs that fail for one reason',
    but: { 'kontor_job_failures_total{task="deliver",reason="timeout"}': '0+2x200' },
    fires: { KontorJobsFail: { task: 'deliver', reason: 'timeout' } },
    after: 60,
  },
  {
    is: 'a job that is given up',
    but: { 'kontor_queue_jobs{state="dead",task="deliver"}': '1x200' },
    fires: { KontorDeadJobs: { task: 'deliver' } },
  },
  {
    is: 'endpoints that do not answer',
    but: { [`${attempts}{outcome="timeout"}`]: '0+90x200' },
    fires: { KontorEndpointsUnreachable: {} },
    after: 60,
  },
  {
    is: 'a webhook that is deactivated',
    but: { kontor_webhooks_deactivated_total: '0x5 1x200' },
    fires: { KontorWebhookDeactivated: {} },
  },
  {
    is: 'no backup for three days',
    but: { kontor_backup_last_success_timestamp_seconds: '-259200x200' },
    fires: { KontorBackupOld: {} },
    after: 90,
  },
  {
    is: 'guessed passwords',
    but: { 'kontor_sign_ins_total{outcome="rejected"}': '0+120x200' },
    fires: { KontorSignInsAttacked: {} },
  },
  {
    is: 'more requests over the limit than under it',
    but: { 'kontor_rate_limit_total{outcome="refused"}': '0+900x200' },
    fires: { KontorRefusingMuch: {} },
    after: 60,
  },
  {
    is: 'connections that are closed at the limit',
    but: { 'kontor_http_connections_closed_total{outcome="refused"}': '0+120x200' },
    fires: { KontorConnectionsShort: {} },
  },
  {
    is: 'a process that grows',
    but: { [`process_resident_memory_bytes${ofProcess}`]: '1500000000x200' },
    fires: { KontorMemoryGrows: byProcess },
  },
  {
    is: 'a blocked event loop',
    but: { [`nodejs_eventloop_lag_p99_seconds${ofProcess}`]: '0.5x200' },
    fires: { KontorEventLoopBlocked: byProcess },
  },
];

/** A test of promtool's (https://prometheus.io/docs/prometheus/latest/configuration/unit_testing_rules): what fires, and that nothing else does. */
const toTest = ({ is, but, fires, after = 30 }: Situation): object => ({
  name: is,
  interval: '1m',
  input_series: Object.entries({ ...healthy, ...but }).flatMap(([series, values]) =>
    values === undefined ? [] : [{ series, values }],
  ),
  alert_rule_test: rules.map(({ alert, labels, annotations }) => ({
    alertname: alert,
    eval_time: `${after}m`,
    exp_alerts: fires[alert] ? [{ exp_labels: { ...labels, ...fires[alert] }, exp_annotations: annotations }] : [],
  })),
});

async function run(tested: Situation[]): Promise<ReturnType<typeof promtool>> {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-alerts-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'alerts.test.yml');
  const tests = { rule_files: [alertsFile], evaluation_interval: '1m', tests: tested.map(toTest) };
  await writeFile(path, JSON.stringify(tests)); // JSON is YAML
  return promtool(['test', 'rules', path]);
}

it('every example alert has a situation', () => {
  const fired = new Set(situations.flatMap(({ fires }) => Object.keys(fires)));
  expect(fired).toEqual(new Set(rules.map(({ alert }) => alert)));
});

describe.skipIf(noPromtool)('by Prometheus', () => {
  it('each alert fires in its situation, and no other does', async () => {
    expect(await run(situations)).toMatchObject({ status: 0, stderr: '' });
  });

  it('an alert that does not fire, or another that does, is found', async () => {
    const worker = situations.find(({ is }) => is === 'no worker')!;
    expect(await run([{ ...worker, fires: {} }])).toMatchObject({ status: 1 });
    expect(await run([{ ...worker, but: {} }])).toMatchObject({ status: 1 });
  });
});
