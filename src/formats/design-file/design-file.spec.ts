import { toCanonicalDesign, createDesign } from './canonical-design.js';
import { findDesignFaults } from './design-check.js';
import { toComponent, toComponents, isDeployable, toResource } from './design-component.js';
import { type DesignComponent } from './design-file.js';
import { servicesToComponents, componentsToServices } from './design-services.js';
import type { JsonObject } from '../../core/json/json.js';

const deployment: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { replicas: 2 },
  status: {},
};

describe('a component of a resource', () => {
  it('holds all of the resource and gives it back', () => {
    const component = toComponent(deployment);
    expect(component).toMatchObject({
      displayName: 'web',
      component: { kind: 'Deployment', version: 'apps/v1' },
      model: { name: 'kubernetes' },
      configuration: { metadata: { name: 'web', namespace: 'shop' }, spec: { replicas: 2 }, status: {} },
    });
    expect(toResource(component)).toEqual(deployment);
    expect(Object.keys(toResource(component))).toEqual(Object.keys(deployment));
  });

  it('has the same id each time, and another one for each resource', () => {
    const generated = { apiVersion: 'batch/v1', kind: 'Job', metadata: { generateName: 'job-' } };
    const named = { ...deployment, metadata: { name: 'web', namespace: 'other' } };
    const resources = [deployment, generated, generated, named];
    const ids = toComponents(resources).map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
    expect(toComponents(resources).map(({ id }) => id)).toEqual(ids);
    expect(toComponents([named, deployment])[1]?.id).toBe(ids[0]);
    expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('belongs to the model of its group', () => {
    const model = (apiVersion: string) => toComponent({ apiVersion, kind: 'X' }).model.name;
    expect(['v1', 'apps/v1', 'networking.k8s.io/v1', 'rbac.authorization.k8s.io/v1'].map(model)).toEqual(Array(4).fill('kubernetes')); // prettier-ignore
    expect(['cert-manager.io/v1', 'jobset.x-k8s.io/v1'].map(model)).toEqual(['cert-manager.io', 'jobset.x-k8s.io']);
  });

  it('names a resource that was drawn without a name, and distinguishes shapes from resources', () => {
    const drawn = { ...toComponent({ apiVersion: 'v1', kind: 'Pod' }), displayName: 'drawn' };
    expect(toResource(drawn)).toEqual({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'drawn' } });
    expect(isDeployable(drawn)).toBe(true);
    expect(isDeployable({ ...drawn, metadata: { isAnnotation: true } })).toBe(false);
  });
});

describe('the older form with services', () => {
  const services: JsonObject = {
    web: {
      type: 'Deployment',
      apiVersion: 'apps/v1',
      model: 'kubernetes',
      version: 'v1.30.0',
      name: 'web-abc',
      namespace: 'default',
      labels: { app: 'web' },
      annotations: {},
      dependsOn: ['config'],
      settings: {
        spec: { 'image Pull Secrets': [], 'match Labels': { 'a B': 'kept' }, template: { data: { 'c D': '1' } } },
      },
      traits: { meshmap: { id: '98c7f665-1745-49cb-8b16-717fe60b01c0', edges: [] } },
    },
    comment: { type: 'Comment', apiVersion: 'core.meshery.io/v1alpha1', traits: { meshmap: { id: 'x-0.5', 'meshmodel-metadata': { isAnnotation: true } } } }, // prettier-ignore
  };

  it('becomes components, with the spelling of fields that Kubernetes has', () => {
    const [web, comment] = servicesToComponents(services) as [DesignComponent, DesignComponent];
    expect(web.id).toBe('98c7f665-1745-49cb-8b16-717fe60b01c0');
    expect(toResource(web)).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web-abc', namespace: 'default', labels: { app: 'web' } },
      spec: { imagePullSecrets: [], matchLabels: { 'a B': 'kept' }, template: { data: { 'c D': '1' } } },
    });
    expect(isDeployable(comment)).toBe(false);
    expect(comment.id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('can be read as services again, with what has no place in a component', () => {
    const again = componentsToServices(servicesToComponents(services)) as Record<string, JsonObject>;
    expect(Object.keys(again)).toEqual(['web', 'comment']);
    expect(again['web']).toMatchObject({ type: 'Deployment', dependsOn: ['config'], traits: { meshmap: { edges: [] } } }); // prettier-ignore
    expect(Object.keys(componentsToServices(toComponents([deployment, deployment])))).toHaveLength(2);
  });
});

describe('canonicalDesign', () => {
  it('fills in what is absent and keeps what it does not know', () => {
    const data: JsonObject = {
      name: 'shop',
      version: 2,
      team: { a: 1 },
      components: [{ component: { kind: 'Pod', version: 'v1', extra: true }, styles: { x: 1 }, displayName: '' }],
    };
    const design = toCanonicalDesign(data, 'file');
    expect(design).toMatchObject({ name: 'shop', version: '2', team: { a: 1 }, relationships: [], metadata: {} });
    expect(design.components[0]).toMatchObject({ displayName: '', styles: { x: 1 }, component: { extra: true } });
    expect(toCanonicalDesign(design as unknown as JsonObject, 'other')).toEqual(design);
    expect(toCanonicalDesign({}, 'file')).toEqual(createDesign({ name: 'file', components: [] }));
  });

  it('spells field names in display form plainly, outside of labels, annotations and data', () => {
    const binding = { metadata: { labels: { 'a B': '1' }, 'owner References': [{ 'block Owner Deletion': true }] }, 'role Ref': { 'api Group': 'rbac' } }; // prettier-ignore
    const settings = { metadata: { annotations: { 'a B': '2' } }, data: { 'c D': '3' }, 'env From': [], envFrom: [1] };
    const components = [binding, settings].map((configuration) => ({ component: { kind: 'A' }, configuration }));
    const [first, second] = toCanonicalDesign({ components }, 'x').components;
    expect(first?.configuration).toEqual({
      metadata: { labels: { 'a B': '1' }, ownerReferences: [{ blockOwnerDeletion: true }] },
      roleRef: { apiGroup: 'rbac' },
    });
    expect(second?.configuration).toBe(settings);
  });

  it('keeps names that begin with a capital: those are data of a custom resource', () => {
    const configuration = { spec: { thresholds: { 'High CPU': 1, 'Low CPU': 2 }, 'alert Name': 'x' } };
    const [first] = toCanonicalDesign({ components: [{ component: { kind: 'A' }, configuration }] }, 'x').components;
    expect(first?.configuration).toEqual({ spec: { thresholds: { 'High CPU': 1, 'Low CPU': 2 }, alertName: 'x' } });
  });

  it('takes services only where there are no components', () => {
    const services = { a: { type: 'Pod', apiVersion: 'v1' } };
    expect(toCanonicalDesign({ services }, 'x')).toMatchObject({ components: [{ displayName: 'a' }] });
    expect(toCanonicalDesign({ services, components: [{ component: { kind: 'B' } }] }, 'x')).toMatchObject({
      services,
    });
  });
});

describe('findDesignFaults', () => {
  const pointers = (design: JsonObject) => findDesignFaults(design).map(({ pointer }) => pointer);

  it('lists each wrong member with its pointer', () => {
    const design: JsonObject = {
      name: 7,
      schemaVersion: 'components.meshery.io/v1beta1',
      version: {},
      relationships: [1],
      metadata: [],
      services: { a: 1, b: { settings: [] }, 'c/d': {} },
      components: [
        1,
        {},
        { component: [] },
        { component: { kind: '' }, configuration: 'x' },
        { id: 'a', component: { kind: 'A', version: 1 } },
        { id: 'a', component: { kind: 'A' } },
      ],
    };
    expect(pointers(design)).toEqual(['/name', '/metadata', '/schemaVersion', '/version', '/components/0', '/components/1/component', '/components/2/component', '/components/3/configuration', '/components/3/component/kind', '/components/4/component/version', '/components/5/id', '/relationships/0', '/services/a', '/services/b/settings', '/services/b/type', '/services/c~1d/type']); // prettier-ignore
  });

  it('has nothing against what may be absent', () => {
    expect(pointers({})).toEqual([]);
    expect(pointers({ components: null, relationships: null, name: null, version: 1 })).toEqual([]);
  });
});
