import { createDesign } from './canonical-design.js';
import { toComponents } from './design-component.js';
import { type OutlinedKind } from './design-outline.js';
import { PackedDesign } from './packed-design.js';

const resource = (apiVersion: string, kind: string, name: string, rest: object = {}) => ({
  apiVersion,
  kind,
  metadata: { name },
  ...rest,
});
const textOf = (design: PackedDesign): string => Buffer.from(design.toBytes()).toString();

describe('a packed design', () => {
  const components = toComponents([
    resource('v1', 'ConfigMap', 'größe 😀', { data: { '10': 'b', '2': 'a' } }),
    resource('apps/v1', 'Deployment', 'web'),
    resource('v1', 'ConfigMap', 'other'),
  ]);
  const design = { ...createDesign({ name: 'shop', components }), extra: undefined, 'x y': null };

  it('is, as bytes, what JSON.stringify makes of it', () => {
    expect(textOf(PackedDesign.pack(design))).toBe(JSON.stringify(design));
    expect(textOf(PackedDesign.pack(createDesign({ name: '', components: [] })))).toBe(JSON.stringify(createDesign({ name: '', components: [] }))); // prettier-ignore
  });

  it('takes other members where an object would have them', () => {
    const changes = { id: 'a', name: 'new "name"', version: '1.2.3' };
    const changed = PackedDesign.pack(design).withMembers(changes);
    expect(textOf(changed)).toBe(JSON.stringify({ ...design, ...changes }));
    expect(changed.version).toBe('1.2.3');
    expect(textOf(PackedDesign.pack({ ...design, id: 'b' }).withMembers(changes))).toBe(JSON.stringify(Object.assign({ ...design, id: 'b' }, changes))); // prettier-ignore
  });

  it('is not changed by what is made of it', () => {
    const packed = PackedDesign.pack(design);
    packed.toBytes().fill(0);
    packed.withMembers({ name: 'other' });
    expect(textOf(packed)).toBe(JSON.stringify(design));
    expect(packed.getMember('name')).toBe('shop');
    expect(packed.getMember('none')).toBeUndefined();
  });
});

describe('the outline of a design', () => {
  const kinds = async (packed: PackedDesign): Promise<OutlinedKind[]> => {
    const all: OutlinedKind[] = [];
    for await (const some of packed.outline.iterateKinds()) all.push(...some);
    return all;
  };

  it('has each kind once, in the order of the design, and knows what the design itself defines', async () => {
    const definition = { spec: { group: 'x.io', names: { kind: 'Gadget' } } };
    const components = toComponents([
      resource('x.io/v1', 'Gadget', 'g'),
      resource('v1', 'Pod', 'first'),
      resource('v1', 'Pod', 'second'),
      resource('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'gadgets.x.io', definition),
    ]);
    const comment = { ...components[1], id: 'c', metadata: { isAnnotation: true } } as (typeof components)[0];
    const packed = PackedDesign.pack(createDesign({ name: 'a', components: [...components, comment] }));
    expect(packed.outline.components).toBe(5);
    expect((await kinds(packed)).map(({ kind, deployable, isDefinedInDesign: brought, firstComponent: first }) => [kind, deployable, brought, first])).toEqual([
      ['Gadget', true, true, 'g'],
      ['Pod', true, false, 'first'],
      ['CustomResourceDefinition', true, false, 'gadgets.x.io'],
      ['Pod', false, false, 'first'],
    ]); // prettier-ignore
  });

  it('comes some kinds at a time, however many there are', async () => {
    const many = toComponents(Array.from({ length: 1201 }, (_, index) => resource('v1', `K${index}`, 'a')));
    const { outline } = PackedDesign.pack(createDesign({ name: 'a', components: many }));
    const counts: number[] = [];
    for await (const some of outline.iterateKinds()) counts.push(some.length);
    expect(counts).toEqual([500, 500, 201]);
    expect(await outline.findKind(({ kind }) => kind === 'K1200')).toMatchObject({ apiVersion: 'v1' });
    expect(await outline.findKind(({ kind }) => kind === '')).toBeUndefined();
  });
});
