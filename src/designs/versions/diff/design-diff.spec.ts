import { toComponents } from '../../../formats/design-file/design-component.js';
import { createDesign } from '../../../formats/design-file/canonical-design.js';
import type { DesignFile } from '../../../formats/design-file/design-file.js';
import type { JsonObject } from '../../../core/json/json.js';
import { diffDesigns } from './design-diff.js';

const configMap = (name: string, data: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});
const design = (...resources: JsonObject[]): DesignFile =>
  createDesign({ name: 'shop', components: toComponents(resources) });

describe('what differs between two contents of a design', () => {
  it('is nothing when components stand in another order', () => {
    const diff = diffDesigns(design(configMap('a'), configMap('b')), design(configMap('b'), configMap('a')));
    expect(diff).toMatchObject({ equal: true, counts: { added: 0, removed: 0, changed: 0, unchanged: 2 } });
  });

  it('does not repeat a name of megabytes with each change below it', () => {
    const large = (value: string): DesignFile => {
      const members = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`field-${index}`, value]));
      return design({ ...configMap('a'), spec: { ['k'.repeat(1_000_000)]: members } });
    };
    const { changed } = diffDesigns(large('old'), large('new'));
    expect(changed[0]?.changes).toHaveLength(300);
    expect(JSON.stringify(changed).length).toBeLessThan(300_000);
  });

  it('is reported component by component', () => {
    const diff = diffDesigns(
      design(configMap('stays'), configMap('goes'), configMap('changes', { key: '1' })),
      design(configMap('comes'), configMap('changes', { key: '2' }), configMap('stays')),
    );
    expect(diff).toMatchObject({
      equal: false,
      added: [{ name: 'comes', kind: 'ConfigMap', api_version: 'v1', namespace: '' }],
      removed: [{ name: 'goes' }],
      changed: [{ name: 'changes', changes: [{ pointer: '/configuration/data/key', from: '1', to: '2' }] }],
    });
  });

  it('reports that a secret value has changed, but not the value', () => {
    const secret = (password: string): JsonObject => ({ ...configMap('key'), kind: 'Secret', data: { password } });
    expect(diffDesigns(design(secret('b2xk')), design(secret('bmV3'))).changed[0]?.changes).toEqual([
      { pointer: '/configuration/data/password', change: 'changed', from: '(hidden)', to: '(hidden)' },
    ]);
    const added = diffDesigns(design({ ...secret('x'), data: {} }), design(secret('bmV3'))).changed[0]?.changes;
    expect(added).toEqual([{ pointer: '/configuration/data/password', change: 'added', to: '(hidden)' }]);
    const all = diffDesigns(
      design(configMap('a')),
      design({ ...configMap('a'), stringData: { x: 'y' }, kind: 'ConfigMap' }),
    );
    expect(all.changed[0]?.changes).toMatchObject([{ to: { x: 'y' } }]);
  });

  it('hides what a secret was, whatever became of it', () => {
    const was: JsonObject = { ...configMap('key'), kind: 'Secret', stringData: { password: 'old-word' } };
    const before = design(was);
    const after = design({ ...was, kind: 'ConfigMap', stringData: { password: 'new' } });
    after.components.forEach((component, index) => (component.id = before.components[index]?.id ?? ''));
    expect(JSON.stringify(diffDesigns(before, after))).not.toContain('old-word');
    const applied = (word: string): JsonObject => ({
      ...configMap('key'),
      metadata: {
        name: 'key',
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': `{"data":{"password":"${word}"}}` },
      },
    });
    expect(JSON.stringify(diffDesigns(design(applied('old-word')), design(applied('new-word'))))).not.toMatch(/-word/);
  });

  it('hides the variables of a Compose file and the values of a chart, which the metadata keeps', () => {
    const kept = (word: string): DesignFile => {
      const file = design(configMap('a'));
      const environment = { PASSWORD: word };
      file.metadata = {
        helm: { values: { password: word } },
        compose: { services: { db: { environment: [`A=${word}`] } } },
      };
      for (const component of file.components)
        component.metadata = { compose: { definition: { environment, image: word } } };
      return file;
    };
    const diff = diffDesigns(kept('one-word'), kept('other-word'));
    expect(diff.changes).toMatchObject([
      { pointer: '/metadata/helm/values/password', from: '(hidden)', to: '(hidden)' },
      { pointer: '/metadata/compose/services/db/environment/0', from: '(hidden)' },
    ]);
    expect(diff.changed[0]?.changes).toMatchObject([
      { pointer: '/metadata/compose/definition/environment/PASSWORD', from: '(hidden)', to: '(hidden)' },
      { pointer: '/metadata/compose/definition/image', from: 'one-word', to: 'other-word' },
    ]);
  });

  it('takes one that bears the same id for the same, when it was renamed', () => {
    const before = design(configMap('old'));
    const after = structuredClone(before);
    for (const component of after.components) component.configuration = { metadata: { name: 'new' }, data: {} };
    expect(diffDesigns(before, after)).toMatchObject({
      added: [],
      removed: [],
      changed: [{ changes: [{ pointer: '/configuration/metadata/name', from: 'old', to: 'new' }] }],
    });
  });

  it('follows relationships through ids that changed', () => {
    const related = (ids: string, ...between: number[]): DesignFile => {
      const file = design(configMap('a'), configMap('b'), configMap('c'));
      for (const component of file.components) component.id = ids + component.displayName;
      const [from, to] = between.map((at) => [{ id: file.components[at]?.id ?? '' }]);
      file.relationships = [
        {
          kind: 'edge',
          type: 'non-binding',
          subType: 'reference',
          selectors: [{ allow: { from: from ?? [], to: to ?? [] } }],
        },
      ];
      return file;
    };
    expect(diffDesigns(related('x', 0, 1), related('y', 0, 1)).relationships).toEqual({ added: [], removed: [] });
    expect(diffDesigns(related('x', 0, 1), related('y', 0, 2)).relationships).toEqual({
      added: [{ kind: 'edge', type: 'non-binding', sub_type: 'reference', between: ['a', 'c'] }],
      removed: [{ kind: 'edge', type: 'non-binding', sub_type: 'reference', between: ['a', 'b'] }],
    });
  });

  it('reports changes of the design itself, but not of its version', () => {
    const before = design(configMap('a'));
    const after = { ...before, version: '0.0.2', preferences: { layers: { grid: true } } };
    expect(diffDesigns(before, after)).toMatchObject({
      changes: [{ pointer: '/preferences/layers', change: 'added' }],
    });
  });
});
