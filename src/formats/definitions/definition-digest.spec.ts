import { type ComponentDefinition, type RelationshipDefinition } from './definitions.js';
import { definitionDigest, relationshipIdentity } from './definition-digest.js';

const component: ComponentDefinition = {
  kind: 'Thing',
  apiVersion: 'v1',
  displayName: 'Thing',
  description: '',
  format: 'JSON',
  schema: '{"type":"object"}',
  styles: { a: 1, b: { c: 2, d: [1, 2] } },
  capabilities: null,
  metadata: { isAnnotation: false, source_uri: 'x' },
  rest: { more: true },
};

describe('definitionDigest', () => {
  it('is SHA-256 in hex, and the same in whatever order members stand', () => {
    const turned = {
      ...component,
      styles: { b: { d: [1, 2], c: 2 }, a: 1 },
      metadata: { source_uri: 'x', isAnnotation: false },
    };
    expect(definitionDigest(component)).toMatch(/^[0-9a-f]{64}$/);
    expect(definitionDigest(turned)).toBe(definitionDigest(component));
    expect(definitionDigest(Object.fromEntries(Object.entries(component).reverse()) as typeof component)).toBe(
      definitionDigest(component),
    );
  });

  it('does not count ids, times, status and a digest that is there already', () => {
    const recorded = {
      ...component.rest,
      id: 'a',
      hostID: 'b',
      model_id: 'c',
      created_at: 'd',
      updatedAt: 'e',
      status: 'ignored',
    };
    expect(definitionDigest({ ...component, rest: recorded, digest: 'x' })).toBe(definitionDigest(component));
  });

  it('changes with everything else', () => {
    const changes: Partial<ComponentDefinition>[] = [
      { kind: 'Other' },
      { schema: '{"type":"string"}' },
      { styles: { a: 1, b: { c: 2, d: [2, 1] } } },
      { styles: null },
      { capabilities: [] },
      { metadata: { isAnnotation: false, source_uri: 'x', id: 'own' } },
      { rest: {} },
      { displayName: 'Thing', description: 'JSON', format: '' },
    ];
    const digests = [component, ...changes.map((change) => ({ ...component, ...change }))].map(definitionDigest);
    expect(new Set(digests).size).toBe(digests.length);
  });
});

it('distinguishes relationships by their selectors, and not by what describes them', () => {
  const one: RelationshipDefinition = { kind: 'edge', type: 'binding', subType: 'mount', version: '', selectors: [{ allow: { from: [] } }], metadata: {}, rest: {} }; // prettier-ignore
  expect(relationshipIdentity({ ...one, metadata: { description: 'x' }, version: 'v1' })).toBe(
    relationshipIdentity(one),
  );
  expect(relationshipIdentity({ ...one, selectors: [] })).not.toBe(relationshipIdentity(one));
  expect(relationshipIdentity({ ...one, subType: 'network' })).not.toBe(relationshipIdentity(one));
});
