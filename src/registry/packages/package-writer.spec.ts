import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { unpackArchive } from '../../formats/archives/archive.js';
import type { JsonObject } from '../../core/json/json.js';
import { type ModelContent } from '../../formats/definitions/definitions.js';
import { aComponent, aModel, aRelationship, readFiles } from './package.fixture.js';
import { readPackage } from './package-reader.js';
import { writePackage } from './package-writer.js';

/** A schema that does not compress well. */
const noise = () => JSON.stringify({ type: 'object', description: randomBytes(50_000).toString('base64') });
const written = (contents: ModelContent[]) => buffer(writePackage(contents));
const filesIn = async (bytes: Buffer) => {
  const files = await unpackArchive({ path: 'p.tar.gz', bytes });
  return new Map(
    [...files].map(([path, file]) => [path, JSON.parse(Buffer.from(file.bytes).toString()) as JsonObject]),
  );
};
const again = async (contents: ModelContent[]) => {
  const content = await readPackage({ path: 'p.tar.gz', bytes: await written(contents) });
  expect(content).toMatchObject({ faults: [], failed: 0 });
  return content.models;
};

describe('writePackage', () => {
  it('writes each model into a folder, with one file for each definition', async () => {
    const { models } = await readFiles({
      'model.json': aModel({ status: 'enabled', registrant: { name: 'Github', kind: 'github' } }),
      'a.json': aComponent(),
      'b.json': aComponent({}, { version: 'shop.example/v2', schema: undefined }),
      'c.json': aRelationship(),
      'd.json': aRelationship({ selectors: [] }),
    });
    const files = await filesIn(await written(models));
    const folder = 'shop/1.2.3/v1.0.0';
    const [, second] = [...files.keys()].filter((path) => path.includes('/relationships/'));
    expect([...files.keys()]).toEqual([
      `${folder}/model.json`,
      `${folder}/components/Thing.json`,
      `${folder}/components/Thing-shop.example-v2.json`,
      `${folder}/relationships/edge-non-binding-network.json`,
      second,
    ]);
    expect(second).toMatch(/\/edge-non-binding-network-[0-9a-f]{8}\.json$/);
    expect(files.get(`${folder}/model.json`)).toEqual({
      schemaVersion: 'models.meshery.io/v1beta1', version: 'v1.0.0', name: 'shop', displayName: 'Shop', description: '', status: 'enabled',
      registrant: { name: 'Github', hostname: 'github', kind: 'github' }, category: { name: 'Database' }, subCategory: '', metadata: {}, model: { version: '1.2.3' },
    }); // prettier-ignore
    expect(files.get(`${folder}/components/Thing.json`)).toMatchObject({
      schemaVersion: 'components.meshery.io/v1beta1',
      model: { name: 'shop', model: { version: '1.2.3' }, registrant: { hostname: 'github' } },
      component: { kind: 'Thing', version: 'shop.example/v1', schema: '{"type":"object"}' },
    });
    expect(files.get(second ?? '')).toMatchObject({ schemaVersion: 'relationships.meshery.io/v1alpha3', kind: 'edge' });
    await expect(again(models)).resolves.toEqual(models);
  });

  it('ends quietly when its reader goes away before the end', async () => {
    const { models } = await readFiles({
      'model.json': aModel(),
      ...Object.fromEntries(
        Array.from({ length: 40 }, (_, at) => [`${at}.json`, aComponent({}, { kind: `Thing${at}`, schema: noise() })]),
      ),
    });
    const faults: unknown[] = [];
    const keep = (fault: unknown) => faults.push(fault);
    process.on('uncaughtException', keep);
    const zip = writePackage(models);
    await once(zip, 'readable');
    zip.destroy();
    await sleep(100);
    process.off('uncaughtException', keep);
    expect(faults).toEqual([]);
  });

  it('gives back the same content, whatever names it has', async () => {
    const names = [
      'Thing',
      'thing',
      '../../etc/passwd',
      '__proto__',
      'constructor',
      '.hidden',
      'é',
      '…',
      'a/b',
      'a-b',
      'CON',
      'x'.repeat(250),
      '#?*',
    ];
    const components = names.map((kind, index): [string, object] => [`${index}.json`, aComponent({ constructor: { x: 1 } }, { kind, more: [1] })]); // prettier-ignore
    const { models, faults } = await readFiles({
      'a/model.json': aModel({
        rest: 1,
        description: 'd',
        metadata: { isAnnotation: true },
        model: { version: '1.2.3', more: 2 },
      }),
      'b/model.json': aModel({ registrant: { hostname: 'hub' }, version: 'v2.0.0', category: { name: 'X', order: 2 } }),
      'c/model.json': aModel({ name: 'SHOP' }),
      'd/model.json': aModel({ name: 'sh?p' }),
      'e/model.json': aModel({ name: 'sh*p', model: { version: '日本 1' } }),
      'f/model.json': aModel({ name: 'sh*p' }),
      'g/r.json': aRelationship({ status: 'enabled', evaluationQuery: '', version: '', metadata: { styles: {} } }),
      ...Object.fromEntries(components),
    });
    expect(faults).toEqual([]);
    expect(models.flatMap((each) => each.components)).toHaveLength(names.length);
    const bytes = await written(models);
    for (const path of (await filesIn(bytes)).keys()) expect(path).toMatch(/^(?:[^./\\][^/\\:*?]*(?:\/(?!$)|$))+$/);
    await expect(again(models)).resolves.toEqual(models);
  });

  it('gives the same bytes for the same content', async () => {
    const files = { 'model.json': aModel(), 'a.json': aComponent(), 'b.json': aComponent({}, { kind: 'Other' }) };
    const [content] = (await readFiles(files)).models;
    if (!content) throw new Error('has no model');
    const turned = { ...content, components: [...content.components].reverse() };
    expect(Buffer.compare(await written([turned]), await written([content]))).toBe(0);
  });

  it('reads models one by one, and reports their errors', async () => {
    const [content] = (await readFiles({ 'model.json': aModel() })).models;
    async function* failing(): AsyncGenerator<ModelContent> {
      if (content) yield await Promise.resolve(content);
      throw new Error('the database is gone');
    }
    await expect(buffer(writePackage(failing()))).rejects.toThrow('the database is gone');
  });
});
