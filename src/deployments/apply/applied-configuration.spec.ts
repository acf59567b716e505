import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { FIELD_MANAGER } from '../plan/owner.js';
import { appliedConfiguration, mergePatch } from './applied-configuration.js';

function live(fieldsV1: Record<string, unknown> | undefined, content: object): KubernetesObject {
  const managedFields = fieldsV1 && [
    { manager: FIELD_MANAGER, operation: 'Apply' as const, apiVersion: 'v1', fieldsV1 },
  ];
  return {
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { name: 'a', namespace: 'n', uid: 'u', managedFields },
    ...content,
  };
}

const HEAD = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a', namespace: 'n' } };

describe('What was last applied', () => {
  it('contains only the name when nothing was applied', () => {
    expect(appliedConfiguration(live(undefined, { data: { a: 1 } }))).toEqual(HEAD);
  });

  it('contains the owned fields with their values', () => {
    const set = { 'f:spec': { 'f:replicas': {}, 'f:whole': {}, 'f:absent': {} }, 'f:data': { '.': {}, 'f:a.b/c': {} } };
    const content = { spec: { replicas: 2, whole: { a: [1] }, theirs: 1 }, data: { 'a.b/c': 'x', theirs: 'y' } };
    expect(appliedConfiguration(live(set, content))).toEqual({
      ...HEAD,
      spec: { replicas: 2, whole: { a: [1] } },
      data: { 'a.b/c': 'x' },
    });
  });

  it('selects list items by key, value and index, in the order of the list', () => {
    const set = {
      'f:spec': {
        'f:containers': {
          'k:{"name":"b"}': {
            '.': {},
            'f:name': {},
            'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } },
          },
          'k:{"name":"a"}': { '.': {}, 'f:image': {} },
        },
        'f:finalizers': { 'v:"x"': {} },
        'f:list': { 'i:1': {} },
        'f:empty': { '.': {} },
      },
    };
    const content = {
      spec: {
        containers: [
          { name: 'a', image: 'i', theirs: 1 },
          { name: 'z', image: 'theirs' },
          {
            name: 'b',
            image: 'theirs',
            ports: [
              { port: 80, protocol: 'TCP', theirs: 1 },
              { port: 81, protocol: 'TCP' },
            ],
          },
        ],
        finalizers: ['y', 'x'],
        list: ['first', 'second'],
        empty: { theirs: 1 },
      },
    };
    expect(appliedConfiguration(live(set, content)).spec).toEqual({
      containers: [
        { name: 'a', image: 'i' },
        { name: 'b', ports: [{ port: 80, protocol: 'TCP' }] },
      ],
      finalizers: ['x'],
      list: ['second'],
      empty: {},
    });
  });
});

describe('A merge patch', () => {
  it('turns one object into the other', () => {
    const from = { same: { a: 1 }, changed: { a: 1, b: 2 }, gone: 1, list: [1, 2] };
    const to = { same: { a: 1 }, changed: { a: 1, b: 3 }, added: { x: 1 }, list: [2] };
    expect(mergePatch(from, to)).toEqual({ changed: { b: 3 }, gone: null, added: { x: 1 }, list: [2] });
  });
});
