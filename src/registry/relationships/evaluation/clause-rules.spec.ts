import type { JsonObject } from '../../../core/json/json.js';
import { evaluate } from './evaluate.js';
import { designOf, edgesIn, reasonOf, resource, stating, workload } from './evaluation.fixture.js';

const found = (definitions: ReturnType<typeof stating>, ...resources: JsonObject[]): string[] =>
  edgesIn(evaluate(designOf(...resources), definitions).design);

const notes = (definitions: ReturnType<typeof stating>, ...resources: JsonObject[]): string[] =>
  evaluate(designOf(...resources), definitions).trace.definitions.flatMap((each) => each.notes);

const inventory = stating('hierarchical parent inventory', {
  allow: {
    from: [
      { kind: 'Pod', model: { name: 'kubernetes' }, patch: { mutatedRef: [['configuration', 'spec', 'nodeName']] } },
    ],
    to: [{ kind: 'Node', model: 'Kubernetes', patch: { mutatorRef: [['displayName']] } }],
  },
});

describe('a patch', () => {
  const pod = resource('v1 Pod web', { spec: { nodeName: 'one' } });

  it('finds components that already agree, whichever side is the mutator', () => {
    expect(found(inventory, pod, resource('v1 Node one'), resource('v1 Node two'))).toEqual([
      'Pod web > Node one inventory',
    ]);
  });

  it('stays in the relationship that it found, with the ids of both ends', () => {
    const { design } = evaluate(designOf(pod, resource('v1 Node one')), inventory);
    expect(design.relationships[0]).toMatchObject({
      selectors: [
        { allow: { from: [{ kind: 'Pod', patch: { mutatedRef: [['configuration', 'spec', 'nodeName']] } }] } },
      ],
    });
    expect(reasonOf(design.relationships[0])).toBe(
      'Pod web agrees with Node one: spec.nodeName and displayName are both one.',
    );
  });

  it('goes through lists with _, and compares whole values', () => {
    const path = ['configuration', 'spec', 'template', 'spec', 'containers', '_'];
    const alias = stating('hierarchical parent alias', {
      allow: {
        from: [{ kind: 'Container', patch: { mutatorRef: [path] } }],
        to: [{ kind: 'Deployment', patch: { mutatedRef: [path] } }],
      },
    });
    const containers = [
      { name: 'a', image: 'x' },
      { image: 'y', name: 'b' },
    ];
    expect(
      found(
        alias,
        workload('v1 Container b', {}, { containers: [{ name: 'b', image: 'y' }] }),
        workload('v1 Container c', {}, { containers: [{ name: 'c', image: 'y' }] }),
        workload('apps/v1 Deployment web', {}, { containers }),
      ),
    ).toEqual(['Container b > Deployment web alias']);
  });

  it('does not join two namespaces by a name', () => {
    const wallet = stating('hierarchical parent wallet', {
      allow: {
        from: [
          {
            kind: 'EndpointSlice',
            patch: { mutatorRef: [['configuration', 'metadata', 'labels', 'kubernetes.io/service-name']] },
          },
        ],
        to: [{ kind: 'Service', patch: { mutatedRef: [['configuration', 'metadata', 'name']] } }],
      },
    });
    const slice = resource('discovery.k8s.io/v1 EndpointSlice a/web-1', {
      metadata: { labels: { 'kubernetes.io/service-name': 'web' } },
    });
    expect(found(wallet, slice, resource('v1 Service a/web'), resource('v1 Service b/web'))).toEqual([
      'EndpointSlice a/web-1 > Service a/web wallet',
    ]);
  });

  it('holds its values to a matrix of strategies', () => {
    const of = (matrix: string[][]): ReturnType<typeof stating> =>
      stating('edge binding reference', {
        allow: {
          from: [
            { kind: 'ConfigMap', match_strategy_matrix: matrix, patch: { mutatorRef: [['configuration', 'data']] } },
          ],
          to: [{ kind: 'Secret', patch: { mutatedRef: [['configuration', 'data']] } }],
        },
      });
    const map = resource('v1 ConfigMap a', { data: { port: 80 } });
    const same = resource('v1 Secret same', { data: { port: 80 } });
    const more = resource('v1 Secret more', { data: { port: 80, host: 'x' } });
    const other = resource('v1 Secret other', { data: { port: 81 } });
    expect(found(of([]), map, same, more, other)).toEqual(['ConfigMap a > Secret same reference']);
    expect(found(of([['to_contains_from']]), map, same, more, other)).toHaveLength(2);
    expect(found(of([['not_null']]), map, same, more, other)).toHaveLength(3);
    expect(found(of([['equal_as_strings', 'not_null']]), map, same, more, other)).toHaveLength(1);
    expect(notes(of([['alike']]), map, same)).toEqual(['ConfigMap → Secret: The strategy "alike" is not known.']);
  });
});

describe('a binding', () => {
  const binding = stating('edge binding permission', {
    allow: {
      from: [
        {
          kind: 'Role',
          match: {
            from: [{ kind: 'self', mutatorRef: [['component', 'kind'], ['displayName']] }],
            to: [
              {
                kind: 'RoleBinding',
                mutatedRef: [
                  ['configuration', 'roleRef', 'kind'],
                  ['configuration', 'roleRef', 'name'],
                ],
              },
            ],
          },
        },
      ],
      to: [
        {
          kind: 'ServiceAccount',
          match: {
            from: [{ kind: 'RoleBinding', mutatedRef: [['configuration', 'subjects', '_', 'name']] }],
            to: [{ kind: 'self', mutatorRef: [['displayName']] }],
          },
        },
      ],
    },
  });
  const rbac = 'rbac.authorization.k8s.io/v1';
  const role = resource(`${rbac} Role reader`);

  it('is found through the component that binds both', () => {
    const grant = resource(`${rbac} RoleBinding grant`, {
      roleRef: { kind: 'Role', name: 'reader' },
      subjects: [{ name: 'a' }, { name: 'b' }],
    });
    const accounts = ['a', 'b', 'c'].map((name) => resource(`v1 ServiceAccount ${name}`));
    const design = designOf(role, grant, ...accounts);
    const { design: after } = evaluate(design, binding);
    expect(edgesIn(after)).toEqual([
      'Role reader > ServiceAccount a permission',
      'Role reader > ServiceAccount b permission',
    ]);
    expect(reasonOf(after.relationships[1])).toBe(
      'Role reader is bound to ServiceAccount b: RoleBinding grant names both; its subjects[1].name and displayName are both b.',
    );
    const [, via] = design.components;
    expect(after.relationships[0]).toMatchObject({
      selectors: [{ allow: { from: [{ match: { to: [{ kind: 'RoleBinding', id: via?.id }] } }] } }],
    });
  });

  it('says what is missing', () => {
    expect(notes(binding, role, resource('v1 ServiceAccount a'))).toEqual(['The design has no RoleBinding.']);
    expect(notes(binding, role, resource('v1 ServiceAccount a'), resource(`${rbac} RoleBinding x`))).toEqual([
      'No RoleBinding has a value at configuration.roleRef.kind.',
    ]);
  });
});

it('puts siblings into one relationship, however many they are', () => {
  const sibling = { kind: '*', match: { refs: [['configuration', 'metadata', 'labels']] } };
  const definition = stating('hierarchical sibling matchlabels', { allow: { from: [sibling], to: [sibling] } });
  const labelled = (name: string, labels: JsonObject): JsonObject =>
    resource(`v1 ConfigMap ${name}`, { metadata: { labels } });
  const members = ['a', 'b', 'c'].map((name) => labelled(name, { app: 'shop', tier: 'web', own: name }));
  expect(found(definition, ...members, labelled('d', { app: 'shop' }), labelled('e', {}))).toEqual([
    'ConfigMap a > ConfigMap b, ConfigMap c matchlabels',
    'ConfigMap a > ConfigMap b, ConfigMap c, ConfigMap d matchlabels',
  ]);
});

it('lets deny win over allow, in all selector sets of its definition', () => {
  const path = [['configuration', 'data', 'key']];
  const allow = (to: string): JsonObject => ({
    allow: { from: [{ kind: '*', patch: { mutatorRef: path } }], to: [{ kind: to, patch: { mutatedRef: path } }] },
  });
  const deny = { from: [{ kind: 'Secret' }], to: [{ kind: 'Secret', model: { name: '*' } }] };
  const values = ['v1 Secret a', 'v1 Secret b', 'v1 ConfigMap c'].map((identity) =>
    resource(identity, { data: { key: 'x' } }),
  );
  expect(found(stating('edge binding reference', { ...allow('Secret'), deny }, allow('Secret')), ...values)).toEqual([
    'ConfigMap c > Secret a reference',
    'ConfigMap c > Secret b reference',
  ]);
});

it('knows models without regard to case, and versions with or without their v', () => {
  const of = (model: JsonObject): ReturnType<typeof stating> =>
    stating('hierarchical parent inventory', {
      allow: {
        from: [{ kind: 'Pod', model, patch: { mutatedRef: [['configuration', 'spec', 'nodeName']] } }],
        to: [{ kind: 'Node', patch: { mutatorRef: [['displayName']] } }],
      },
    });
  const resources = [resource('v1 Pod web', { spec: { nodeName: 'one' } }), resource('v1 Node one')];
  expect(found(of({ name: 'KUBERNETES', model: { version: 'v1.35.0' } }), ...resources)).toHaveLength(1);
  expect(found(of({ name: 'istio' }), ...resources)).toEqual([]);
});
