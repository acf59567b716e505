import { toCanonicalDesign } from '../../../formats/design-file/canonical-design.js';
import type { JsonObject } from '../../../core/json/json.js';
import { evaluate } from './evaluate.js';
import type { DesignFile } from '../../../formats/design-file/design-file.js';
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

  it('compares lists of two lengths by the shorter, whichever side has it', () => {
    const paths = [['displayName'], ['configuration', 'data', 'key']];
    const of = (mutatorRef: string[][], mutatedRef: string[][]): ReturnType<typeof stating> =>
      stating('edge binding reference', {
        allow: { from: [{ kind: 'ConfigMap', patch: { mutatorRef } }], to: [{ kind: 'Cart', patch: { mutatedRef } }] },
      });
    const resources = [
      resource('v1 ConfigMap a', { data: { key: 'x' } }),
      resource('shop.io/v1 Cart a', { data: { key: 'y' } }),
      resource('shop.io/v1 Cart b', { data: { key: 'x' } }),
    ];
    const edges = ['ConfigMap a > Cart a reference'];
    expect(found(of(paths, paths.slice(0, 1)), ...resources)).toEqual(edges);
    expect(found(of(paths.slice(0, 1), paths), ...resources)).toEqual(edges);
    expect(found(of(paths, paths), ...resources)).toEqual([]);
    expect(notes(of(paths, []), ...resources)).toEqual([
      'ConfigMap → Cart: It says that these may be related, and gives nothing to find them by.',
    ]);
  });

  it('agrees where both sides have no value, as long as another path agrees by one', () => {
    const of = (matrix: string[][] = []): ReturnType<typeof stating> => {
      const mutatorRef = [['displayName'], ['configuration', 'metadata', 'namespace']];
      const mutatedRef = [
        ['configuration', 'spec', 'settings'],
        ['configuration', 'metadata', 'namespace'],
      ];
      const from = [{ kind: 'ConfigMap', match_strategy_matrix: matrix, patch: { mutatorRef } }];
      return stating('hierarchical parent inventory', {
        allow: { from, to: [{ kind: 'Cart', patch: { mutatedRef } }] },
      });
    };
    const maps = ['settings', 'shop/settings', 'other'].map((name) => resource(`v1 ConfigMap ${name}`));
    const cart = resource('shop.io/v1 Cart mine', { spec: { settings: 'settings' } });
    expect(found(of(), ...maps, cart)).toEqual(['ConfigMap settings > Cart mine inventory']);
    expect(found(of([['equal'], ['equal', 'not_null']]), ...maps, cart)).toEqual([]);
    expect(found(of(), ...maps, resource('shop.io/v1 Cart mine'))).toEqual([]);
    expect(found(of(), resource('v1 ConfigMap a', { metadata: { namespace: '' } }), resource('shop.io/v1 Cart b', { spec: { settings: 'a' } }))).toEqual([]); // prettier-ignore
  });

  it('is of the same item where paths go through the same list', () => {
    const port = ['configuration', 'spec', 'ports', '_'];
    const container = ['configuration', 'spec', 'containers', '_', 'ports', '_'];
    const network = stating('edge non-binding network', {
      allow: {
        from: [
          {
            kind: 'Service',
            patch: {
              mutatorRef: [
                [...port, 'targetPort'],
                [...port, 'protocol'],
              ],
            },
          },
        ],
        to: [
          {
            kind: 'Pod',
            patch: {
              mutatedRef: [
                [...container, 'containerPort'],
                [...container, 'protocol'],
              ],
            },
          },
        ],
      },
    });
    const pod = (...lists: JsonObject[][]): JsonObject =>
      resource('v1 Pod p', { spec: { containers: lists.map((ports) => ({ ports })) } });
    const service = (...ports: JsonObject[]): JsonObject => resource('v1 Service s', { spec: { ports } });
    const [tcp, udp] = [
      { targetPort: 53, protocol: 'TCP' },
      { targetPort: 54, protocol: 'UDP' },
    ];
    expect(found(network, service(tcp, udp), pod([{ containerPort: 53, protocol: 'UDP' }, { containerPort: 54, protocol: 'TCP' }]))).toEqual([]); // prettier-ignore
    expect(found(network, service(tcp, udp), pod([{ containerPort: 53, protocol: 'UDP' }], [{ containerPort: 54, protocol: 'UDP' }]))).toHaveLength(1); // prettier-ignore
    expect(found(network, service({ protocol: 'UDP' }, { targetPort: 53 }), pod([{ containerPort: 53 }]))).toHaveLength(1); // prettier-ignore
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

  it('gives as its reason only what holds: values that are there are not said to be equal', () => {
    const kind = [['component', 'kind']];
    const inNamespace = (strategy: string): ReturnType<typeof stating> =>
      stating('hierarchical parent inventory', {
        allow: {
          from: [{ kind: 'ConfigMap', match_strategy_matrix: [[strategy]], patch: { mutatedRef: kind } }],
          to: [{ kind: 'Namespace', patch: { mutatorRef: kind } }],
        },
      });
    const design = designOf(resource('v1 ConfigMap settings'), resource('v1 Namespace shop'));
    const [relationship] = evaluate(design, inNamespace('not_null')).design.relationships;
    expect(reasonOf(relationship)).toBe(
      'ConfigMap settings agrees with Namespace shop: component.kind and component.kind both have a value.',
    );
    expect(evaluate(design, inNamespace('equal')).design.relationships).toEqual([]);
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

  it('is found by one item, in every model, and by kinds that are patterns', () => {
    const spelled = (kind: string, self: string): ReturnType<typeof stating> =>
      stating('edge binding permission', {
        allow: {
          from: [
            {
              kind,
              model: { name: 'kuber.*' },
              match: {
                from: [{ kind: self, mutatorRef: [['displayName'], ['component', 'kind']] }],
                to: [{ kind: 'RoleBinding', mutatedRef: [['configuration', 'roleRef', 'name']] }],
              },
            },
          ],
          to: [
            {
              kind: 'ServiceAccount',
              match: {
                from: [
                  {
                    kind: 'RoleBinding',
                    mutatedRef: [
                      ['configuration', 'subjects', '_', 'kind'],
                      ['configuration', 'subjects', '_', 'name'],
                    ],
                  },
                ],
                to: [{ kind: self, mutatorRef: [['component', 'kind'], ['displayName']] }],
              },
            },
          ],
        },
      });
    const of = (...subjects: JsonObject[]): DesignFile => {
      const grant = resource(`${rbac} RoleBinding grant`, { roleRef: { name: 'reader' }, subjects });
      const design = designOf(role, grant, resource('v1 ServiceAccount alice'));
      const components = design.components.map((each) =>
        each.component.kind === 'RoleBinding' ? { ...each, model: { name: 'other' } } : each,
      );
      return { ...design, components };
    };
    const robot = { kind: 'ServiceAccount', name: 'robot' };
    const [user, account] = ['User', 'ServiceAccount'].map((kind) => ({ kind, name: 'alice' }));
    for (const definition of [spelled('Role', 'self'), spelled('^(Cluster)?Role$', 'Self')]) {
      expect(evaluate(of(user ?? {}, robot), definition).actions).toEqual([]);
      expect(evaluate(of(user ?? {}, robot, account ?? {}), definition).actions).toHaveLength(1);
    }
    expect(evaluate(of(account ?? {}), spelled('(Role', 'self')).actions).toEqual([]);
  });

  it('is of the namespace that a subject states, and of that of the binding otherwise', () => {
    const roles = ['a', 'b'].map((namespace) => resource(`${rbac} Role ${namespace}/reader`));
    const accounts = ['a', 'b', 'c'].map((namespace) => resource(`v1 ServiceAccount ${namespace}/alice`));
    const granted = (...subjects: JsonObject[]): string[] => {
      const grant = { roleRef: { kind: 'Role', name: 'reader' }, subjects };
      return found(binding, ...roles, ...accounts, resource(`${rbac} RoleBinding a/grant`, grant));
    };
    expect(granted({ name: 'alice', namespace: 'b' })).toEqual(['Role a/reader > ServiceAccount b/alice permission']);
    expect(granted({ name: 'alice' })).toEqual(['Role a/reader > ServiceAccount a/alice permission']);
    expect(granted({ name: 'alice', namespace: 'c' }, { name: 'alice' })).toEqual([
      'Role a/reader > ServiceAccount a/alice permission',
      'Role a/reader > ServiceAccount c/alice permission',
    ]);
    expect(granted({ name: 'alice', namespace: 'd' })).toEqual([]);
  });

  it('without a namespace joins what is in one, unless its subject states another', () => {
    const roles = ['a', 'b'].map((namespace) => resource(`${rbac} Role ${namespace}/reader`));
    const accounts = ['a', 'b'].map((namespace) => resource(`v1 ServiceAccount ${namespace}/alice`));
    const granted = (subject: JsonObject): string[] => {
      const grant = { roleRef: { kind: 'Role', name: 'reader' }, subjects: [subject] };
      return found(binding, ...roles, ...accounts, resource(`${rbac} RoleBinding grant`, grant));
    };
    expect(granted({ name: 'alice' })).toEqual([
      'Role a/reader > ServiceAccount a/alice permission',
      'Role b/reader > ServiceAccount b/alice permission',
    ]);
    expect(granted({ name: 'alice', namespace: 'b' })).toEqual([
      'Role a/reader > ServiceAccount b/alice permission',
      'Role b/reader > ServiceAccount b/alice permission',
    ]);
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

describe('siblings that another program wrote', () => {
  const sibling = { kind: '*', match: { refs: [['configuration', 'metadata', 'labels']] } };
  const definition = stating('hierarchical sibling matchlabels', { allow: { from: [sibling], to: [sibling] } });
  const members = ['a', 'b', 'c'].map((name) =>
    resource(`v1 ConfigMap ${name}`, { metadata: { labels: { app: 'x' } } }),
  );

  it('are the same ones by the set of their members', () => {
    const design = designOf(...members);
    const ends = design.components.map(({ id }) => ({ id, patch: { mutatorRef: [['app']] } })).reverse();
    const kind = { kind: 'hierarchical', type: 'sibling', subType: 'matchlabels' };
    const recorded = { id: 'theirs', ...kind, status: 'approved', selectors: [{ allow: { from: ends, to: ends } }] };
    expect(evaluate({ ...design, relationships: [recorded] }, definition).actions).toEqual([]);
    const fewer = [{ ...recorded, selectors: [{ allow: { from: ends.slice(1), to: ends.slice(1) } }] }];
    expect(evaluate({ ...design, relationships: fewer }, definition).actions).toHaveLength(1);
  });

  it('keep the order of their members when components change theirs', () => {
    const { design } = evaluate(designOf(...members), definition);
    const turned = { ...design, components: design.components.toReversed() };
    const after = evaluate(turned, definition);
    expect(after.actions.map(({ op }) => op)).not.toContain('add_relationship');
    expect(after.design.relationships.map(({ id }) => id)).toEqual(design.relationships.map(({ id }) => id));
    expect(evaluate(after.design, definition).actions).toEqual([]);
  });
});

describe('an alias', () => {
  const path = ['configuration', 'spec', 'containers'];
  const alias = stating('hierarchical parent alias', {
    allow: {
      from: [{ kind: 'Container', patch: { mutatorRef: [[...path, '_']] } }],
      to: [{ kind: 'Pod', patch: { mutatedRef: [[...path, '_']] } }],
    },
  });
  const pod = (name: string): JsonObject => resource(`v1 Pod ${name}`, { spec: { containers: [{ name: 'x' }, { name: 'y' }] } }); // prettier-ignore
  const container = { id: 'child', component: { kind: 'Container', version: 'core.meshery.io/v1alpha1' }, metadata: { isAnnotation: true } }; // prettier-ignore

  function design(metadata: (parent: string) => JsonObject): DesignFile {
    const pods = designOf(pod('a'), pod('b'));
    const [child] = toCanonicalDesign({ components: [container] }, '').components;
    return { ...pods, components: [child!, ...pods.components], metadata: metadata(pods.components[1]?.id ?? '') };
  }

  it('has the values of its parent at its path, and is of that parent alone', () => {
    const known = design((parent) => ({ resolvedAliases: { child: { resolved_parent_id: parent, resolved_ref_field_path: [...path, '1'] } } })); // prettier-ignore
    const { design: after } = evaluate(known, alias);
    expect(edgesIn(after)).toEqual(['Container  > Pod b alias']);
    expect(reasonOf(after.relationships[0])).toContain('spec.containers[1] and spec.containers[1] are both');
    expect(after.components).toEqual(known.components);
    expect(
      evaluate(
        design(() => ({})),
        alias,
      ).actions,
    ).toEqual([]);
  });

  it('is what a drawn relationship says, and ends with a circle of parents', () => {
    const { components } = design(() => ({}));
    const [child, , parent] = components.map(({ id }) => id);
    const drawn = (from = '', to = ''): JsonObject => ({
      id: `${from} ${to}`,
      kind: 'hierarchical',
      type: 'parent',
      subType: 'alias',
      status: 'approved',
      selectors: [{ allow: { from: [{ id: from, patch: { mutatorRef: [path] } }], to: [{ id: to, patch: { mutatedRef: [path] } }] } }], // prettier-ignore
    });
    const named = stating('edge non-binding reference', {
      allow: {
        from: [{ kind: 'Container', patch: { mutatorRef: [[...path, '0', 'name']] } }],
        to: [{ kind: 'Pod', patch: { mutatedRef: [[...path, '0', 'name']] } }],
      },
    });
    const whole = { ...design(() => ({})), components };
    expect(evaluate({ ...whole, relationships: [drawn(child, parent)] }, named).actions).toHaveLength(2);
    expect(evaluate({ ...whole, relationships: [drawn(child, child), drawn(parent, child)] }, named).actions).toEqual(
      [],
    );
  });
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
