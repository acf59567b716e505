import type { ResourceKind } from '../../clusters/discovery.js';
import { describeObject } from './describe-object.js';

const kind = (name: string): ResourceKind => ({
  ...{ apiVersion: 'v1', group: '', version: 'v1', kind: name, plural: `${name.toLowerCase()}s` },
  ...{ namespaced: true, verbs: [], subresources: [], preferred: true },
});
const NOW = Date.parse('2026-01-01T00:10:00Z');

describe('the description of an object', () => {
  it('names, labels and fields it as kubectl does, with its events, the oldest first', () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'shop', labels: { app: 'web', tier: 'front' }, resourceVersion: '7' },
      spec: { nodeName: 'node-0', containers: [{ name: 'app', env: [{ name: 'PASSWORD', value: 'canary' }] }] },
      status: { podIP: '10.0.0.1' },
    };
    const event = (reason: string, lastTimestamp: string, more: object = {}) => ({
      ...{ apiVersion: 'v1', kind: 'Event', metadata: { name: reason }, type: 'Normal', reason, lastTimestamp },
      ...{ message: `It is ${reason}`, source: { component: 'kubelet' }, ...more },
    });
    const events = [event('Started', '2026-01-01T00:09:50Z'), event('Pulled', '2026-01-01T00:00:00Z', { count: 3 })];
    expect(describeObject(kind('Pod'), pod, events, NOW)).toBe(`Name:         web
Namespace:    shop
Labels:       app=web
              tier=front
Annotations:  <none>
API Version:  v1
Kind:         Pod
Metadata:
  Resource Version: 7
Spec:
  Node Name:    node-0
  Containers:
    -
      Name:         app
      Env:
        -
          Name:         PASSWORD
          Value:        (hidden)
Status:
  Pod IP:       10.0.0.1
Events:
  Type    Reason   Age   From     Message
  ----    ------   ----  ----     -------
  Normal  Pulled   10m   kubelet  It is Pulled (x3)
  Normal  Started  10s   kubelet  It is Started
`);
  });

  it('shows of a Secret the sizes of its values, and of large objects a part', () => {
    const secret = {
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, type: 'Opaque' },
      data: { password: Buffer.from('canary').toString('base64') },
    };
    const text = describeObject(kind('Secret'), secret, [], NOW);
    expect(text).toMatch(/Data:\n {2}password: +6 bytes\nEvents: {2}<none>/);
    const data = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`key-${n}`, 'x'.repeat(2_000)]));
    const large = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'big' }, data };
    expect(describeObject(kind('ConfigMap'), large, [], NOW).length).toBeLessThan(201_000);
  });
});
