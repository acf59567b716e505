import { definitionDigest } from '../../formats/definitions/definition-digest.js';
import { aComponent, aModel, aRelationship, faultsOf, outline, readFiles, refusal, text } from './package.fixture.js';
import { readPackage } from './package-reader.js';

describe('readPackage: what is taken of a definition', () => {
  it('keeps members without a home, and nothing that only a record has', async () => {
    const zero = '00000000-0000-0000-0000-000000000000';
    const content = await readFiles({
      'model.json': aModel({ id: zero, hostID: zero, created_at: '0001-01-01T00:00:00Z', components: null, components_count: 3, status: 'ignored', constructor: { a: 1 }, category: { id: zero, name: 'Database', metadata: null, order: 1 }, registrant: { id: zero, name: 'Github', kind: 'github', status: 'discovered', user_id: zero, environments: [] } }), // prettier-ignore
      'c.json': aComponent(
        { id: zero, updatedAt: 'x', configuration: null, extra: [1], version: 'v2.0.0' },
        { more: true },
      ),
    });
    const [{ model, components } = { model: undefined, components: [] }] = content.models;
    expect(model?.rest).toEqual({ status: 'ignored', constructor: { a: 1 }, category: { order: 1 }, registrant: { name: 'Github' } }); // prettier-ignore
    expect(components[0]?.rest).toEqual({ extra: [1], version: 'v2.0.0', component: { more: true } });
  });

  it('reads a schema as text or as an object to the same compact text and digest', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: 'é\n' } } };
    const forms = [schema, JSON.stringify(schema), JSON.stringify(schema, null, 4)];
    const read = await Promise.all(forms.map((form) => readPackage(text(aComponent({}, { schema: form })))));
    const components = read.map(({ models }) => models[0]?.components[0]);
    expect(components.map((each) => each?.schema)).toEqual(forms.map(() => JSON.stringify(schema)));
    expect(new Set(components.map((each) => each?.digest)).size).toBe(1);
    expect(components[0] && definitionDigest(components[0])).toBe(components[0]?.digest);
    for (const none of [null, '', undefined]) {
      const { models } = await readPackage(text(aComponent({}, { schema: none })));
      expect(models[0]?.components[0]?.schema).toBe('');
    }
  });

  it('refuses a component whose schema is no object, and takes the others', async () => {
    const wrong = ['not json', '[1]', '{"a":', 7, '{"a":"\\u0000"}', `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`];
    const files = wrong.map((schema, index): [string, object] => [
      `c${index}.json`,
      aComponent({}, { kind: `C${index}`, schema }),
    ]);
    const content = await readFiles({ 'model.json': aModel(), ...Object.fromEntries(files), 'ok.json': aComponent() });
    expect(outline(content)).toEqual(['github shop 1.2.3: Thing']);
    expect(faultsOf(content)).toEqual([
      'c0.json/component/schema: schema is not JSON: a value is expected, not "n" (line 1, column 1 of the text)',
      'c1.json/component/schema: schema is not an object',
      'c2.json/component/schema: schema is not JSON: a value is expected, the file ends (line 1, column 6 of the text)',
      'c3.json/component/schema: schema is not an object',
      'c4.json/component/schema: schema cannot be kept: a string holds the NUL character (line 1, column 6 of the text)',
      expect.stringContaining('nested deeper than 100 levels'),
    ]);
    expect(content.failed).toBe(6);
  });

  it('says what is missing, of the wrong kind or a path', async () => {
    const content = await readFiles({
      'a.json': aComponent({ displayName: 7, metadata: [], capabilities: {} }, { kind: ' ', version: null }),
      'b.json': aRelationship({ kind: null, subType: '', selectors: 'all' }),
      'c.json': { schemaVersion: 'connections.meshery.io/v1beta1' },
      'd.json': aModel({ name: '../../etc', model: { version: 1.2 } }),
      'e.json': aModel({ name: 'x'.repeat(256), model: {} }),
      'f.json': aComponent({ model: { name: 'a/b', model: { version: '..' } } }),
    });
    expect(faultsOf(content)).toEqual([
      'a.json/component/kind: kind is missing',
      'a.json/component/version: version is missing',
      'a.json/displayName: displayName is a number, not text',
      'a.json/capabilities: capabilities is an object, not a list of objects',
      'a.json/metadata: metadata is a list, not an object',
      'b.json/kind: kind is missing',
      'b.json/subType: subType is missing',
      'b.json/selectors: selectors is text, not an object',
      'c.json/kind: kind is missing',
      'd.json/model/version: version is a number, not text',
      'd.json/name: name is a path',
      'e.json/name: name is longer than 255 characters',
      'e.json/model/version: version is missing',
      'f.json/model/name: name is a path',
      'f.json/model/model/version: version is a path',
    ]);
    expect(content).toMatchObject({ models: [], failed: 6 });
    for (const { line, column, remedy } of content.faults) {
      expect([typeof line, typeof column, typeof remedy]).toEqual(['number', 'number', 'string']);
    }
  });

  it('refuses text and numbers that cannot be kept, with their place', async () => {
    const values = [
      '"\\u0000"',
      '"\\ud800"',
      '1e999',
      '{"__proto__": {"polluted": true}}',
      '"\\u00e9"',
      '"\\ud83d\\ude00"',
    ];
    const files = values.map((value, index): [string, string] => [
      `c${index}.json`,
      JSON.stringify(aComponent({ extra: '?' }, { kind: `C${index}` })).replace('"?"', value),
    ]);
    const content = await readFiles({ 'model.json': aModel(), ...Object.fromEntries(files) });
    expect(outline(content)).toEqual(['github shop 1.2.3: C4 C5']);
    expect(content.faults.map(({ path, entity, line }) => [path, entity, line])).toEqual(
      [0, 1, 2, 3].map((index) => [`c${index}.json`, 'component', 1]),
    );
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('takes the same definition once, and of two different ones the first', async () => {
    const other = aComponent({}, { schema: '{}' });
    const content = await readFiles({
      'a/model.json': aModel({ id: 'one' }),
      'b/model.json': aModel({ id: 'two', status: 'enabled' }),
      'c/model.json': aModel({ displayName: 'Other' }),
      'a/1.json': aComponent(),
      'a/2.json': aComponent({ status: 'disabled' }),
      'a/3.json': other,
      'a/4.json': aRelationship(),
      'a/5.json': aRelationship(),
      'a/6.json': aRelationship({ selectors: [] }),
      'a/7.json': aRelationship({ metadata: { description: 'other' } }),
    });
    expect(outline(content)).toEqual(['github shop 1.2.3: Thing']);
    expect(content.models[0]?.relationships).toHaveLength(2);
    expect(faultsOf(content)).toEqual([
      'c/model.json: is given with other content in a/model.json, which was taken',
      'a/3.json: is given with other content in a/1.json, which was taken',
      'a/7.json: is given with other content in a/4.json, which was taken',
    ]);
    expect(content.failed).toBe(3);
  });

  it('gives the same content whatever the order of the files', async () => {
    const files: [string, object][] = [
      ['model.json', aModel()],
      ['a.json', aComponent({}, { kind: 'B' })],
      ['b.json', aComponent({}, { kind: 'A', version: 'v2' })],
      ['c.json', aComponent({}, { kind: 'A', version: 'v1' })],
      ['d.json', aRelationship({ subType: 'x' })],
      ['e.json', aRelationship({ subType: 'y' })],
    ];
    const forth = await readFiles(Object.fromEntries(files));
    expect(await readFiles(Object.fromEntries(files.reverse()))).toEqual(forth);
  });
});

describe('readPackage: the form of core.meshery.io/v1alpha1', () => {
  const model = { name: 'KUMA', version: '2.1.1', 'model-display-name': 'Kuma', category: { name: 'Mesh', metadata: null }, 'sub-category': 'Service Mesh' }; // prettier-ignore
  const older = {
    kind: 'Mesh',
    apiVersion: 'kuma.io/v1alpha1',
    'display-name': 'A mesh',
    format: 'JSON',
    schema: '{}',
    model,
  };

  it('makes the model of what its components say', async () => {
    const metadata = { svgColor: '<svg/>', published: true };
    const content = await readFiles({ 'kuma/components/m.json': { ...older, metadata } });
    expect(content.models).toEqual([
      {
        embedded: true,
        model: { name: 'KUMA', displayName: 'Kuma', version: '2.1.1', description: '', category: 'Mesh', subCategory: 'Service Mesh', registrant: { hostname: 'armature', kind: 'armature' }, metadata: { svgColor: '<svg/>' }, rest: {}, digest: expect.any(String) as string }, // prettier-ignore
        components: [
          { kind: 'Mesh', apiVersion: 'kuma.io/v1alpha1', displayName: 'A mesh', description: '', format: 'JSON', schema: '{}', styles: null, capabilities: null, metadata, rest: {}, digest: expect.any(String) as string }, // prettier-ignore
        ],
        relationships: [],
      },
    ]);
    const described = { model: 'kuma', modelDisplayName: 'Kuma!', subCategory: 'Mesh' };
    const other = await readPackage(text({ ...older, displayName: 'M', metadata: described, model: { version: '1' } }));
    expect(other.models[0]?.model).toMatchObject({ name: 'kuma', displayName: 'Kuma!', subCategory: 'Mesh' });
  });

  it('does not take a manifest for a component', async () => {
    const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { model: 'x' } };
    await expect(refusal(readPackage(text(manifest)))).resolves.toMatchObject({ status: 400 });
  });

  it.each([
    ['Edge', 'Mount', 'edge', 'binding', 'mount'],
    ['Edge', 'Network', 'edge', 'non-binding', 'network'],
    ['Hierarchical', 'Parent', 'hierarchical', 'parent', 'parent'],
    ['Hierarchical', 'Sibling', 'hierarchical', 'sibling', 'sibling'],
  ])('reads the relationship %s %s', async (kind, subType, ...expected) => {
    const selectors = { allow: { from: [{ kind: 'Pod' }], to: [] }, deny: { from: [], to: [] } };
    const given = {
      apiVersion: 'core.meshery.io/v1alpha1',
      kind,
      subType,
      model,
      metadata: { description: 'd' },
      selectors,
    };
    const [relationship] = (await readPackage(text(given))).models[0]?.relationships ?? [];
    expect([relationship?.kind, relationship?.type, relationship?.subType]).toEqual(expected);
    expect(relationship).toMatchObject({ selectors: [selectors], metadata: { description: 'd' }, rest: {} });
  });
});
