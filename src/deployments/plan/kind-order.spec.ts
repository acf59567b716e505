import { inKindOrder } from './kind-order.js';

describe('The order of kinds', () => {
  it('sorts dependencies first, and keeps the order within a kind', () => {
    const items = [
      ['admissionregistration.k8s.io', 'ValidatingWebhookConfiguration'],
      ['example.com', 'Gadget'],
      ['example.com', 'Service'],
      ['apps', 'Deployment', 'second'],
      ['', 'Service'],
      ['apps', 'Deployment', 'first'],
      ['', 'Namespace'],
      ['networking.k8s.io', 'Ingress'],
      ['apiextensions.k8s.io', 'CustomResourceDefinition'],
    ];
    expect(
      inKindOrder(items, ([group = '', kind = '']) => ({ group, kind })).map((item) => item.slice(1).join(' ')),
    ).toEqual([
      'CustomResourceDefinition',
      'Namespace',
      'Service',
      'Deployment second',
      'Deployment first',
      'Ingress',
      'Gadget',
      'Service',
      'ValidatingWebhookConfiguration',
    ]);
  });
});
