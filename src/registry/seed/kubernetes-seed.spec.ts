import { readFile } from 'node:fs/promises';
import { loadKubernetesSeed } from './kubernetes-seed.js';

it('holds the resources of Kubernetes, each with a schema that stands on its own', async () => {
  const { model, components } = await loadKubernetesSeed();
  expect(model).toMatchObject({
    name: 'kubernetes',
    displayName: 'Kubernetes',
    version: expect.stringMatching(/^v1\.\d+\.\d+$/) as unknown,
    category: 'Orchestration & Management',
    registrant: { hostname: 'kubernetes', kind: 'kubernetes' },
  });
  const identities = components.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`);
  expect(new Set(identities).size).toBe(identities.length);
  expect(identities).toEqual(expect.arrayContaining(['v1 Pod', 'v1 Namespace', 'apps/v1 Deployment', 'batch/v1 CronJob', 'networking.k8s.io/v1 Ingress', 'rbac.authorization.k8s.io/v1 ClusterRole', 'apiextensions.k8s.io/v1 CustomResourceDefinition'])); // prettier-ignore
  expect(identities.filter((identity) => /List$|Options$|Status$|Scale$|Eviction$/.test(identity))).toEqual(['v1 ComponentStatus']); // prettier-ignore
  for (const { schema, metadata } of components) {
    const { definitions } = JSON.parse(schema) as { definitions: Record<string, unknown> };
    const references = [...schema.matchAll(/"\$ref":"([^"]*)"/g)].map(([, target = '']) => target);
    expect(references.length).toBeGreaterThan(0);
    for (const target of references) expect(definitions).toHaveProperty([target.replace('#/definitions/', '')]);
    expect(typeof metadata['isNamespaced']).toBe('boolean');
  }
  const deployment = components.find(({ apiVersion, kind }) => apiVersion === 'apps/v1' && kind === 'Deployment');
  expect(deployment?.metadata).toMatchObject({ isNamespaced: true, plural: 'deployments', subresources: ['scale', 'status'] }); // prettier-ignore
  for (const kept of [
    'x-kubernetes-list-map-keys',
    'x-kubernetes-group-version-kind',
    'int-or-string',
    '"default":{}',
  ]) {
    expect(deployment?.schema).toContain(kept);
  }
});

it('lies beside its licence and says where it comes from', async () => {
  const text = (name: string) => readFile(new URL(name, import.meta.url), 'utf8');
  const { model } = await loadKubernetesSeed();
  expect(await text('./LICENSE')).toContain('Apache License');
  expect(await text('./NOTICE')).toMatch(new RegExp(`The Kubernetes Authors[^]*Apache License, Version 2.0`));
  expect(await text('./NOTICE')).toContain(`Kubernetes ${model.version}`);
});
