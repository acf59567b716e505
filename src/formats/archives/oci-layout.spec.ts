import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type InvalidRequest } from '../../core/errors/app-error.js';
import { unpackArchive } from './archive.js';
import { DEFAULT_FORMAT_LIMITS, type FormatLimits } from '../sources/format-limits.js';
import { findOciLayout, readOciLayout } from './oci-layout.js';
import { tarOf } from './tar.fixture.js';

const LAYER = 'application/vnd.oci.image.layer.v1.tar';

/** Collects blobs and answers their descriptors. */
class Blobs {
  readonly files: Record<string, Buffer> = {};

  add(content: Buffer | object, descriptor: object = {}, algorithm = 'sha256') {
    const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
    const hex = createHash(algorithm).update(bytes).digest('hex');
    this.files[`blobs/${algorithm}/${hex}`] = bytes;
    return { mediaType: LAYER, size: bytes.length, ...descriptor, digest: `${algorithm}:${hex}` };
  }

  layout(manifests: object[], prefix = ''): Promise<Buffer> {
    const files: Record<string, string | Buffer> = {
      'oci-layout': '{"imageLayoutVersion":"1.0.0"}',
      'index.json': JSON.stringify({ schemaVersion: 2, manifests }),
      ...this.files,
    };
    return tarOf(Object.fromEntries(Object.entries(files).map(([path, text]) => [prefix + path, text])));
  }
}

async function read(bytes: Buffer, limits: FormatLimits = DEFAULT_FORMAT_LIMITS): Promise<[string, string][]> {
  const unpacked = { entries: 0, bytes: 0 };
  const files = await unpackArchive({ path: 'image.tar', bytes }, limits, unpacked);
  const root = findOciLayout(files);
  if (root === undefined) throw new Error('is no layout');
  const found = await readOciLayout(files, root, limits, unpacked);
  return found.map(({ path, bytes: content }) => [path, Buffer.from(content).toString()]);
}

const wrong = (bytes: Buffer, limits?: FormatLimits) =>
  read(bytes, limits).then(
    () => Promise.reject(new Error('was taken')),
    (error: InvalidRequest) => error.errors,
  );

describe('readOciLayout', () => {
  it('follows every manifest, nested indexes as well, and gives what is in several only once', async () => {
    const blobs = new Blobs();
    const shared = blobs.add(gzipSync(await tarOf({ 'model.json': 'm' })));
    const other = blobs.add(await tarOf({ 'model.json': 'other', 'b.json': 'b' }), {}, 'sha512');
    const first = blobs.add({ schemaVersion: 2, layers: [shared] });
    const second = blobs.add({ schemaVersion: 2, layers: [shared, blobs.add(await tarOf({ 'c.json': 'c' }))] });
    const third = blobs.add({ schemaVersion: 2, layers: [other] });
    const nested = blobs.add({ schemaVersion: 2, manifests: [second, third, second] });
    const found = await read(await blobs.layout([first, nested], 'image/'));
    expect(found.sort()).toEqual([
      ['b.json', 'b'],
      ['c.json', 'c'],
      ['model.json', 'm'],
      ['model.json', 'other'],
    ]);
  });

  it('lays the layers of an image upon one another', async () => {
    const blobs = new Blobs();
    const layers = [
      blobs.add(await tarOf({ 'a/x': '1', 'a/y': '1', 'b/x': '1', c: '1', d: '1' })),
      blobs.add(await tarOf({ 'a/.wh.x': '', 'b/.wh..wh..opq': '', 'b/y': '2', '.wh.c': '', d: '2' })),
    ];
    const found = await read(await blobs.layout([blobs.add({ layers })]));
    expect(found.sort()).toEqual([
      ['a/y', '1'],
      ['b/y', '2'],
      ['d', '2'],
    ]);
  });

  it('takes a layer that is no archive as a file of its own', async () => {
    const blobs = new Blobs();
    const annotations = { 'org.opencontainers.image.title': 'model.json' };
    const layers = [blobs.add(Buffer.from('{}'), { mediaType: 'application/json', annotations })];
    await expect(read(await blobs.layout([blobs.add({ layers })]))).resolves.toEqual([['model.json', '{}']]);
  });

  it('refuses blobs that are missing, changed or without a sound digest', async () => {
    const blobs = new Blobs();
    const layer = blobs.add(await tarOf({ a: '1' }));
    const manifest = blobs.add({ layers: [layer] });
    const path = `blobs/sha256/${layer.digest.slice(7)}`;
    blobs.files[path] = await tarOf({ a: '2' });
    await expect(wrong(await blobs.layout([manifest]))).resolves.toMatchObject([
      { file: path, detail: 'does not match its digest' },
    ]);
    delete blobs.files[path];
    await expect(wrong(await blobs.layout([manifest]))).resolves.toMatchObject([
      { file: path, detail: 'is named in the layout but is not in it' },
    ]);
    for (const digest of ['sha256:../../../etc/passwd', 'md5:00', '', 7]) {
      await expect(wrong(await blobs.layout([{ digest }]))).resolves.toHaveLength(1);
    }
  });

  it('says what to do about zstd', async () => {
    const blobs = new Blobs();
    const zstd = blobs.add(Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0]));
    const [fault] = await wrong(await blobs.layout([blobs.add({ layers: [zstd] })]));
    expect(fault).toMatchObject({
      detail: 'is a layer packed with zstd',
      remedy: expect.stringContaining('gzip') as string,
    });
  });

  it('bounds how often layers are laid upon others, and takes many whiteouts at once', async () => {
    const blobs = new Blobs();
    const names = Array.from({ length: 1_000 }, (_, index) => String(index));
    const files = await tarOf(Object.fromEntries(names.map((name) => [`d/${name}`, ''])));
    const gone = await tarOf(Object.fromEntries(names.map((name) => [`d/.wh.${name}`, ''])));
    const [full, empty] = [blobs.add(gzipSync(files)), blobs.add(gzipSync(gone))];
    const kept = await blobs.layout([blobs.add({ layers: [full, empty, full] })]);
    await expect(read(kept)).resolves.toHaveLength(1_000);
    const often = await blobs.layout([blobs.add({ layers: Array.from({ length: 2_000 }, () => full) })]);
    const [fault] = await wrong(often);
    expect(fault?.detail).toBe('has too many layers of too many files');
  });

  it('counts what is in layers towards the limits of the archive', async () => {
    const blobs = new Blobs();
    const layers = await Promise.all(['1', '2'].map(async (name) => blobs.add(gzipSync(await tarOf({ [name]: 'x'.repeat(50_000) }))))); // prettier-ignore
    const archive = await blobs.layout([blobs.add({ layers })]);
    const [fault] = await wrong(archive, { ...DEFAULT_FORMAT_LIMITS, archiveBytes: 80_000 });
    expect(fault?.detail).toContain('80000 bytes');
    await expect(read(archive)).resolves.toHaveLength(2);
  });
});
