import { createHash } from 'node:crypto';
import {
  aComponent,
  aModel,
  aPackage,
  aRelationship,
  faultsOf,
  type Files,
  outline,
  readFiles,
  refusal,
  text,
} from './package.fixture.js';
import { readPackage } from './package-reader.js';

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
