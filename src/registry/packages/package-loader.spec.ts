import { WorkerPool } from '../../core/workers/worker-pool.js';
import { aComponent, aModel, aPackage, aRelationship, type Files } from './package.fixture.js';
import { joinPackageParts, PackageLoader, type PackagePart, toPackageParts } from './package-loader.js';
import { readPackage } from './package-reader.js';

const schema = { type: 'object', description: 'x'.repeat(20_000) };
const files = (count: number): Files => ({
  'a/model.json': aModel(),
  'a/r.json': aRelationship(),
  'b/model.json': aModel({ name: 'second' }),
  'bad.json': '{',
  ...Object.fromEntries(Array.from({ length: count }, (_, index) => [`a/${index}.json`, aComponent({}, { kind: `K${index}`, schema })])), // prettier-ignore
});

describe('PackageLoader', () => {
  const pool = new WorkerPool();
  afterAll(() => pool.close());

  it('reads in a worker what readPackage reads here', async () => {
    const file = { path: 'p.tar.gz', bytes: await aPackage(files(300)) };
    const here = await readPackage(file);
    expect(here.models[1]?.components).toHaveLength(300);
    await expect(new PackageLoader(pool).load(file)).resolves.toEqual(here);
    expect(file.bytes.length).toBeGreaterThan(0);
  });

  it('hands refusals over', async () => {
    const file = { path: 'p.tar.gz', bytes: Buffer.from('no archive') };
    await expect(new PackageLoader(pool).load(file)).rejects.toMatchObject({
      status: 400,
      errors: [{ file: 'p.tar.gz' }],
    });
  });

  it('sends large models in parts that do not block the receiver', async () => {
    const content = await readPackage({ path: 'p.tar.gz', bytes: await aPackage(files(300)) });
    const parts: PackagePart[] = [...toPackageParts(content)];
    expect(parts.filter((part) => 'more' in part).length).toBeGreaterThan(1);
    expect(Math.max(...parts.map((part) => JSON.stringify(part).length))).toBeLessThan(3_000_000);
    expect(joinPackageParts(structuredClone(parts))).toEqual(content);
  });
});
