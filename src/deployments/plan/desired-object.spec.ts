import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { buildDesiredObject } from './desired-object.js';

const OWNER = { installation: 'a', design: 'b', environment: 'c', connection: 'd' };

function build(apiVersion: string, kind: string) {
  const served = { apiVersion, kind, namespaced: true, subresources: ['status'] } as unknown as ResourceKind;
  const object = { apiVersion, kind, metadata: { name: 'x', annotations: {} }, spec: { limit: null, items: [] } };
  return buildDesiredObject(object, served, OWNER, 'shop');
}

it('null is no field of a kind of Kubernetes, and may be one of a custom kind of any group', () => {
  expect(build('apps/v1', 'Deployment')['spec']).toEqual({ items: [] });
  for (const apiVersion of ['example.org/v1', 'gateway.networking.k8s.io/v1'])
    expect(build(apiVersion, 'Thing')['spec']).toEqual({ limit: null, items: [] });
});
