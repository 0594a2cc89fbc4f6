import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import type { IPodTemplateSpec } from 'kubernetes-models/v1/PodTemplateSpec';
import { Service } from 'kubernetes-models/v1/Service';
import { expect, it, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readConfig } from '../src/config/config.ts';

// Checks docker/kontor.yaml by Kubernetes' own descriptions, and by what its linters ask for.

const read = (path: string): string => readFileSync(path, 'utf8');
const models = { ConfigMap, Job, Deployment, Service, PodDisruptionBudget };

interface Manifest {
  apiVersion: string;
  kind: keyof typeof models;
  metadata: { name: string };
}
const manifests = parseAllDocuments(read('docker/kontor.yaml'), { strict: true }).map(
  (document) => document.toJS() as Manifest,
);
const all = <T>(kind: keyof typeof models): T[] =>
  manifests.filter((each) => each.kind === kind).map((each) => each as T);
const [settings] = all<ConfigMap>('ConfigMap');
const deployments = all<Deployment>('Deployment');
const templates = [...all<Job>('Job'), ...deployments].map(({ spec }) => spec?.template);

const only = (template: IPodTemplateSpec | undefined) => {
  const [container, ...others] = template?.spec?.containers ?? [];
  expect(others).toEqual([]);
  return container;
};

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kontor-kubernetes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** TypeScript's errors about manifests as literals, which may have no field that Kubernetes doesn't know. */
function findFaults(each: Manifest[]): string[] {
  const folder = temporaryFolder();
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const lines = each.map((manifest, index) => {
    const { apiVersion, kind } = manifest;
    const type = `import('kubernetes-models/${apiVersion}/${kind}').I${kind}`;
    return `export const manifest${index}: ${type} = ${JSON.stringify(manifest)};`;
  });
  writeFileSync(join(folder, 'manifests.mts'), `${lines.join('\n')}\n`);
  const options = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--pretty',
    'false',
    '--types',
    '',
  ];
  const tsc = resolve('node_modules/.bin/tsc');
  const { stdout, error } = spawnSync(tsc, [...options, 'manifests.mts'], { cwd: folder, encoding: 'utf8' });
  if (error) throw error;
  return stdout.split('\n').filter((line) => line.includes('error'));
}

it('is accepted by the descriptions of Kubernetes, and has no field that they lack', () => {
  expect(manifests.map(({ kind }) => kind)).toEqual([
    'ConfigMap',
    'Job',
    'Deployment',
    'Deployment',
    'Service',
    'PodDisruptionBudget',
  ]);
  for (const manifest of manifests) new models[manifest.kind](manifest).validate();
  const [serve] = all<Manifest & { spec: object }>('Deployment');
  const misspelt = {
    ...serve,
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    spec: { ...serve?.spec, replica: 2 },
  } as const;
  const wrong = { ...misspelt, metadata: { name: 'kontor' }, spec: { ...serve?.spec, replicas: 'two' } };
  expect(() => new Deployment(wrong as never).validate()).toThrow('replicas must be integer');
  expect(findFaults([...manifests, { ...misspelt, metadata: { name: 'kontor' } }])).toEqual([
    expect.stringMatching(/^manifests\.mts\(7,.*'"replica"' does not exist/),
  ]);
});

it('migrates before it serves, each command as in package.json', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  expect(templates.map((template) => only(template)?.args)).toEqual([['migrate'], ['serve'], ['work']]);
  for (const template of templates) expect(only(template)?.command?.join(' ')).toBe(scripts['kontor']);
});

it('runs without rights, within bounds, and spread over the machines', () => {
  for (const template of templates) {
    const container = only(template);
    expect(template?.spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(container?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container?.resources).toEqual({
      requests: { cpu: expect.anything(), memory: expect.any(String) },
      limits: { memory: expect.any(String) },
    });
    expect(container?.image).toMatch(/:\d+\.\d+\.\d+$/);
    const volumes = template?.spec?.volumes?.map(({ name }) => name);
    expect(container?.volumeMounts?.map(({ name }) => name)).toEqual(volumes);
    const { DRAIN_SECONDS } = settings?.data ?? {};
    // A request or a job may take ten seconds to end afterwards.
    expect(template?.spec?.terminationGracePeriodSeconds).toBeGreaterThan(Number(DRAIN_SECONDS) + 10);
  }
  for (const { spec } of deployments) {
    const { matchLabels } = spec?.selector ?? {};
    expect(spec?.template.metadata?.labels).toEqual(matchLabels);
    expect(spec?.template.spec?.topologySpreadConstraints?.map((each) => each.labelSelector)).toEqual([
      { matchLabels },
    ]);
  }
});

it('asks the ports that the image has, and sends requests to those that serve', () => {
  const [, healthPort] = /HEALTH_PORT=(\d+)/.exec(read('Dockerfile')) ?? [];
  const probed = deployments.map(({ spec }) => {
    const container = only(spec?.template);
    const portOf = (name: string | number | undefined) => container?.ports?.find((port) => port.name === name);
    const probes = [container?.startupProbe, container?.livenessProbe, container?.readinessProbe];
    return probes.map((probe) => [probe?.httpGet?.path, portOf(probe?.httpGet?.port)?.containerPort]);
  });
  expect(probed).toEqual(
    [4000, Number(healthPort)].map((port) => [
      ['/health/live', port],
      ['/health/live', port],
      ['/health/ready', port],
    ]),
  );
  const [serve] = deployments;
  const selected = serve?.spec?.selector.matchLabels;
  expect(all<Service>('Service').map(({ spec }) => spec?.selector)).toEqual([selected]);
  expect(all<Service>('Service')[0]?.spec?.ports?.map(({ targetPort }) => targetPort)).toEqual(['http']);
  expect(all<PodDisruptionBudget>('PodDisruptionBudget').map(({ spec }) => spec?.selector)).toEqual([
    { matchLabels: selected },
  ]);
});

it('has settings that Kontor accepts, and reads each secret from a file', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'database-url'), 'postgres://kontor:x@database/kontor\n', { mode: 0o600 });
  writeFileSync(join(folder, 'secret'), 'b2Ytd2hpY2gtbm9ib2R5LWtub3dzLWFueXRoaW5n\n', { mode: 0o600 });
  const mounted = Object.entries(settings?.data ?? {}).map(([name, value]) => [
    name,
    value.replace('/run/secrets/kontor', folder),
  ]);
  expect(readConfig(Object.fromEntries(mounted) as Record<string, string>)).toMatchObject({
    databaseUrl: 'postgres://kontor:x@database/kontor',
    secret: 'b2Ytd2hpY2gtbm9ib2R5LWtub3dzLWFueXRoaW5n',
    trustedProxies: 1,
    metricsPort: 9464,
  });
});
