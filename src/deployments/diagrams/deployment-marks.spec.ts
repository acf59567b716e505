import { toDiagramMarks, type ResourceState } from './deployment-marks.js';

const resource = (component: string, kind: string, name: string, namespace?: string) => ({
  component,
  object: { apiVersion: 'apps/v1', kind, metadata: { name, ...(namespace ? { namespace } : {}) } },
});
const state = (name: string, more: Partial<ResourceState> = {}): ResourceState => ({
  ...{ api_version: 'apps/v1', kind: 'Deployment', namespace: 'shop', name, action: 'update' as const },
  ...more,
});
const textsOf = (...of: Parameters<typeof toDiagramMarks>) =>
  Object.fromEntries(Object.entries(toDiagramMarks(...of)).map(([id, { text }]) => [id, text]));

describe('the marks of a deployed design', () => {
  it('show health, failures and actions of the objects of components, regardless of version', () => {
    const resources = [
      resource('a', 'Deployment', 'web', 'shop'),
      resource('b', 'Deployment', 'db'),
      resource('c', 'Deployment', 'cache', 'shop'),
      resource('d', 'Deployment', 'web', 'other'),
      resource('e', 'StatefulSet', 'web', 'shop'),
    ];
    const states = [
      state('web', { health: 'Progressing', message: '1 of 2' }),
      state('db', { api_version: 'apps/v1beta1' }),
      state('cache', { failure: 'INVALID: no' }),
    ];
    expect(textsOf(resources, states)).toEqual({ a: 'Progressing', b: 'update', c: 'failed' });
  });

  it('are the worst of several clusters', () => {
    const states = (['Healthy', 'Degraded', 'Suspended'] as const).map((health) => state('web', { health }));
    expect(textsOf([resource('a', 'Deployment', 'web')], states)).toEqual({ a: 'Degraded' });
  });

  it('include cluster-scoped objects, and exclude objects without a name', () => {
    const resources = [resource('a', 'Deployment', 'web', 'shop'), { component: 'b', object: { metadata: null } }];
    expect(textsOf(resources, [state('web', { namespace: null, action: 'create' })])).toEqual({ a: 'create' });
  });
});
