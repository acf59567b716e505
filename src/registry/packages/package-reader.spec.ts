import { createHash } from 'node:crypto';
import { definitionDigest } from '../../formats/definitions/definition-digest.js';
import { aComponent, aModel, aPackage, aRelationship, type Files, readFiles, refusal } from './package.fixture.js';
import { type PackageContent } from './package-content.js';
import { readPackage } from './package-reader.js';

/** The models with the kinds of their components. */
const outline = ({ models }: PackageContent) =>
  models.map(
    ({ model, components }) =>
      `${model.registrant.hostname} ${model.name} ${model.version}: ${components.map(({ kind }) => kind).join(' ')}`,
  );
const faultsOf = ({ faults }: PackageContent) =>
  faults.map(({ path, pointer, detail }) => `${path}${pointer ?? ''}: ${detail}`);
const text = (value: object | string) => ({
  path: 'upload',
  bytes: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
});

describe('readPackage: what is a definition', () => {
  it('reads models, components, relationships and connections, and passes over what is none', async () => {
    const content = await readFiles({
      'shop/model.json': aModel(),
      'shop/components/Thing.json': aComponent(),
      'shop/relationships/r.json': aRelationship(),
      'shop/connections/c.json': { schemaVersion: 'connections.meshery.io/v1beta3', kind: 'Grafana', name: 'Grafana', subType: 'metrics', styles: { a: 1 } }, // prettier-ignore
      'shop/README.md': '# Shop',
      'shop/package.json': { name: 'shop' },
      'shop/design.json': { schemaVersion: 'designs.meshery.io/v1beta1', components: [aComponent()] },
      'shop/._model.json': '\u0000\u0005',
      '__MACOSX/shop/model.json': 'no',
      'shop/icon.svg': '<svg/>',
    });
    expect(outline(content)).toEqual(['github shop 1.2.3: Thing']);
    expect(content).toMatchObject({ faults: [], failed: 0 });
    expect(content.models[0]?.relationships).toHaveLength(1);
    expect(content.models[0]?.embedded).toBeUndefined();
    expect(content.connections).toEqual([
      { kind: 'grafana', name: 'Grafana', type: '', subType: 'metrics', description: '', connectionSchema: null, credentialSchema: null, transitionMap: null, rest: { styles: { a: 1 } }, digest: expect.any(String) as string }, // prettier-ignore
    ]);
  });

  it.each(['v1alpha2', 'v1alpha3', 'v1beta1', 'v1beta2', 'v1beta3', 'v1', 'v2alpha7'])('knows %s', async (version) => {
    const content = await readFiles({
      'model.json': aModel({ schemaVersion: `models.meshery.io/${version}` }),
      'c.json': aComponent({ schemaVersion: `components.meshery.io/${version}` }),
      'r.json': aRelationship({ schemaVersion: `relationships.meshery.io/${version}` }),
    });
    expect(outline(content)).toEqual(['github shop 1.2.3: Thing']);
    expect(content.models[0]?.relationships).toHaveLength(1);
  });

  it('reads one file that is no archive: JSON, a list, and a YAML stream', async () => {
    expect(outline(await readPackage(text(aComponent())))).toEqual(['github shop 1.2.3: Thing']);
    expect(outline(await readPackage(text([aModel(), aComponent()])))).toEqual(['github shop 1.2.3: Thing']);
    const yaml = `
schemaVersion: models.meshery.io/v1beta1
name: shop
model: { version: "1.2.3" }
---
schemaVersion: components.meshery.io/v1beta1
component: { kind: A, version: v1, schema: { type: object, maximum: 9223372036854775807 } }
---
schemaVersion: components.meshery.io/v1beta1
component: { kind: B }
`;
    const content = await readPackage(text(yaml));
    expect(outline(content)).toEqual(['armature shop 1.2.3: A']);
    expect(content.faults).toMatchObject([
      { entity: 'component', pointer: '/component/version', file: 'upload', line: 10, column: 1 },
    ]);
  });

  it('reads what a model file has in it', async () => {
    const components = [aComponent({ model: null }), aComponent({ schemaVersion: '' }, { kind: 'Other', version: '' })];
    const content = await readFiles({ 'model.json': aModel({ components, relationships: null }) });
    expect(outline(content)).toEqual(['github shop 1.2.3: Thing']);
    expect(faultsOf(content)).toEqual(['model.json/components/1/component/version: version is missing']);
  });

  it('says that nothing is a definition, or why nothing can be read', async () => {
    const empty = await refusal(readFiles({ 'README.md': '#', 'values.yaml': 'a: 1' }));
    expect(empty).toMatchObject({
      status: 400,
      message: 'package.tar.gz holds no definition',
      errors: [{ file: 'package.tar.gz', remedy: expect.stringContaining('schemaVersion') as string }],
    });
    const broken = await refusal(readFiles({ 'm/a.json': '{"component": {', 'm/b.yaml': 'a: [' }));
    expect(broken.errors.map(({ file }) => file)).toEqual(expect.arrayContaining(['m/a.json', 'm/b.yaml']));
    expect(broken.errors[0]).toMatchObject({ line: 1, column: 16 });
    await expect(refusal(readPackage(text('word')))).resolves.toMatchObject({ status: 400 });
    await expect(refusal(readPackage(text('{"schemaVersion":')))).resolves.toMatchObject({ errors: [{ line: 1 }] });
  });

  it('reads packages in a package, once', async () => {
    const inner = await aPackage({ 'b/model.json': aModel({ name: 'b' }), 'b/c.json': aComponent({ model: {} }) });
    const content = await readFiles({
      'a/model.json': aModel({ name: 'a' }),
      'inner.tar.gz': inner,
      'twice.tgz': await aPackage({ 'inner.tar.gz': inner, 'c/model.json': aModel({ name: 'c' }) }),
      'broken.zip': 'no zip',
    });
    expect(outline(content)).toEqual(['github a 1.2.3: ', 'github b 1.2.3: Thing', 'github c 1.2.3: ']);
    expect(faultsOf(content)).toEqual(['broken.zip: is not a tar, a compressed tar or a zip']);
  });

  it('reads an OCI image layout, whatever else is in it', async () => {
    const blobs: Record<string, Buffer> = {};
    const add = (bytes: Buffer) => {
      const hex = createHash('sha256').update(bytes).digest('hex');
      blobs[`blobs/sha256/${hex}`] = bytes;
      return { digest: `sha256:${hex}`, size: bytes.length };
    };
    const layer = add(await aPackage({ 'shop/model.json': aModel(), 'shop/components/Thing.json': aComponent() }));
    const manifest = add(
      Buffer.from(JSON.stringify({ schemaVersion: 2, config: add(Buffer.from('{}')), layers: [layer] })),
    );
    const layout = {
      'oci-layout': '{}',
      'index.json': { manifests: [manifest] },
      'other.json': aModel({ name: 'other' }),
    };
    expect(outline(await readFiles({ ...layout, ...blobs }))).toEqual(['github shop 1.2.3: Thing']);
    const without = { ...layout, [`blobs/${manifest.digest.replace(':', '/')}`]: 'x' };
    const error = await refusal(readFiles({ ...blobs, ...without }));
    expect(error.errors[0]?.detail).toBe('does not match its digest');
  });

  it('counts packages in a package towards the limits', async () => {
    const inner = await aPackage({ 'model.json': aModel({ description: 'x'.repeat(50_000) }) });
    const files = { 'a.tar.gz': inner, 'b.tar.gz': inner, 'c.tar.gz': inner };
    const error = await refusal(readFiles(files, { archiveBytes: 120_000 }));
    expect(error.errors[0]?.detail).toContain('120000 bytes');
    await expect(refusal(readFiles(files, { archiveEntries: 5 }))).resolves.toMatchObject({ status: 400 });
  });
});

describe('readPackage: which model a definition belongs to', () => {
  it('is the one that it names, wherever its file is', async () => {
    const content = await readFiles({
      'a/model.json': aModel(),
      'b/model.json': aModel({ name: 'second' }),
      'b/components/Cross.json': aComponent(),
    });
    expect(outline(content)).toEqual(['github second 1.2.3: ', 'github shop 1.2.3: Thing']);
  });

  it('is the nearest model file above when it names none, or no version', async () => {
    const files: Files = {
      'a/model.json': aModel(),
      'a/b/model.json': aModel({ model: { version: '2.0.0' } }),
      'a/components/x/A.json': aComponent({ model: null }, { kind: 'A' }),
      'a/b/components/B.json': aComponent({ model: { name: '', model: { version: '' } } }, { kind: 'B' }),
      'a/b/components/C.json': aComponent({ model: { name: 'shop', version: 'v1.0.0' } }, { kind: 'C' }),
    };
    expect(outline(await readFiles(files))).toEqual(['github shop 1.2.3: A', 'github shop 2.0.0: B C']);
    const alone = await readFiles({ ...files, 'd/D.json': aComponent({ model: { name: 'shop' } }, { kind: 'D' }) });
    expect(faultsOf(alone)).toEqual(['d/D.json/model: names no version of its model, and no model file near it does']);
    const nowhere = await readFiles({ 'd/D.json': aComponent({ model: null }) });
    expect(nowhere.failed).toBe(1);
    expect(nowhere.models).toEqual([]);
  });

  it('takes the model file over the copies in components, and copies where there is no file', async () => {
    const copy = {
      name: 'shop',
      displayName: 'Copy',
      registrant: { hostname: 'ArtifactHub' },
      model: { version: '1.2.3' },
    };
    const thing = aComponent({ model: copy });
    const declared = await readFiles({ 'model.json': aModel(), 'components/Thing.json': thing });
    expect(outline(declared)).toEqual(['github shop 1.2.3: Thing']);
    expect(declared.models[0]?.model.displayName).toBe('Shop');
    const embedded = await readFiles({ 'components/Thing.json': thing, 'r.json': aRelationship({ model: copy }) });
    expect(embedded.models).toMatchObject([
      {
        embedded: true,
        model: { displayName: 'Copy', registrant: { hostname: 'artifacthub', kind: 'artifacthub' } },
        components: [{ kind: 'Thing' }],
        relationships: [{ kind: 'edge' }],
      },
    ]);
  });

  it('distinguishes models by registrant, and uses modelReference where there is no model', async () => {
    const hub = { registrant: { hostname: 'hub' } };
    const content = await readFiles({
      'a/model.json': aModel(),
      'b/model.json': aModel(hub),
      'x/A.json': aComponent({}, { kind: 'A' }),
      'x/B.json': aComponent({ model: { ...aModel(hub) } }, { kind: 'B' }),
      'x/C.json': aComponent({ model: { name: '' }, modelReference: aModel(hub) }, { kind: 'C' }),
    });
    expect(outline(content)).toEqual(['github shop 1.2.3: A', 'hub shop 1.2.3: B C']);
  });

  it.each([
    [{}, { hostname: 'armature', kind: 'armature' }],
    [
      { name: '', kind: '' },
      { hostname: 'armature', kind: 'armature' },
    ],
    [
      { name: 'Github', kind: 'GitHub' },
      { hostname: 'github', kind: 'github' },
    ],
    [
      { name: 'Artifact Hub', kind: 'artifacthub' },
      { hostname: 'artifacthub', kind: 'artifacthub' },
    ],
    [
      { name: 'prod', kind: 'kubernetes' },
      { hostname: 'prod', kind: 'kubernetes' },
    ],
    [
      { hostname: 'Example.com', kind: 'github' },
      { hostname: 'example.com', kind: 'github' },
    ],
  ])('reads the registrant %j', async (registrant, expected) => {
    const content = await readFiles({ 'model.json': aModel({ registrant }) });
    expect(content.models[0]?.model.registrant).toEqual(expected);
  });
});

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
