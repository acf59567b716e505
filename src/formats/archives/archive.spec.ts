import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { type InvalidRequest } from '../../core/errors/app-error.js';
import { unpackArchive } from './archive.js';
import { DEFAULT_FORMAT_LIMITS, type FormatLimits } from '../sources/format-limits.js';
import { tar } from './tar.fixture.js';

/** Writes a zip byte by byte, because zip libraries do not create invalid ones. */
function zip(...members: { name: string; text: string; mode?: number; size?: number; crc?: number }[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  for (const { name, text, mode = 0o100644, size, crc } of members) {
    const data = deflateRawSync(text);
    const offset = parts.reduce((sum, part) => sum + part.length, 0);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(0x0800, 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc ?? crc32(text), 10);
    fields.writeUInt32LE(data.length, 14);
    fields.writeUInt32LE(size ?? Buffer.byteLength(text), 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), fields, Buffer.from(name), data);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x03', 'latin1'), fields, rest, Buffer.from(name));
  }
  const [body, index] = [Buffer.concat(parts), Buffer.concat(directory)];
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(index.length, 12);
  end.writeUInt32LE(body.length, 16);
  return Buffer.concat([body, index, end]);
}

const read = async (bytes: Uint8Array, limits: Partial<FormatLimits> = {}, path = 'upload') => {
  const files = await unpackArchive({ path, bytes }, { ...DEFAULT_FORMAT_LIMITS, ...limits });
  return Object.fromEntries([...files].map(([name, file]) => [name, Buffer.from(file.bytes).toString()]));
};

const faults = async (bytes: Uint8Array, limits: Partial<FormatLimits> = {}, path = 'upload') =>
  read(bytes, limits, path).then(
    (files) => Promise.reject(new Error(`was taken: ${JSON.stringify(files)}`)),
    (error: InvalidRequest) => error.errors.map((fault) => `${fault.file}: ${fault.detail}`),
  );

describe('unpack', () => {
  it('reads tar, compressed tar and zip by content, whatever their name', async () => {
    const plain = await tar(
      { name: 'a/', type: 'directory' },
      { name: './a/b.yaml', text: 'x: 1' },
      { name: 'c', text: '' },
    );
    for (const bytes of [plain, gzipSync(plain)]) {
      await expect(read(bytes)).resolves.toEqual({ 'a/b.yaml': 'x: 1', c: '' });
      await expect(read(bytes, {}, 'x.tgz')).resolves.toEqual({ 'a/b.yaml': 'x: 1', c: '' });
    }
    const packed = zip({ name: 'a/', text: '', mode: 0o040755 }, { name: 'a/é.yaml', text: 'x: 1' });
    await expect(read(packed)).resolves.toEqual({ 'a/é.yaml': 'x: 1' });
  });

  it('refuses names that lead out, absolute names and members given twice, all at once', async () => {
    const names = ['../a', '/etc/passwd', 'a/../../b', 'C:\\x', '..\\x', 'good', 'good'];
    const found = await faults(await tar(...names.map((name) => ({ name, text: name }))));
    expect(found).toHaveLength(6);
    expect(found.join()).toContain('twice');
    await expect(faults(zip({ name: '../a', text: 'x' }))).resolves.toHaveLength(1);
  });

  it('follows links inside, and refuses those that lead out, even together', async () => {
    const inside = await tar({ name: 'a/file', text: 'x' }, { name: 'link', type: 'symlink', linkname: 'a/file' }, { name: 'hard', type: 'link', linkname: 'a/file' }, { name: 'b', type: 'symlink', linkname: './a' }, { name: 'c', type: 'symlink', linkname: 'b/file' }); // prettier-ignore
    await expect(read(inside)).resolves.toEqual({ 'a/file': 'x', link: 'x', hard: 'x', 'b/file': 'x', c: 'x' });
    for (const linkname of ['/etc', '../x', 'a/../../x', 'missing', 'self']) {
      await expect(faults(await tar({ name: 'f', text: 'x' }, { name: 'self', type: 'symlink', linkname }))).resolves.toHaveLength(1); // prettier-ignore
    }
    const below = await tar({ name: 'a/f', text: 'x' }, { name: 'l', type: 'symlink', linkname: 'a' }, { name: 'l/f', text: 'y' }); // prettier-ignore
    await expect(faults(below)).resolves.toEqual(['upload/l/f: lies below a link']);
    await expect(faults(zip({ name: 'l', text: '../x', mode: 0o120777 }))).resolves.toHaveLength(1);
  });

  it('refuses devices and pipes', async () => {
    const found = await faults(await tar({ name: 'd', type: 'block-device' }, { name: 'p', type: 'fifo' }, { name: 'f', text: 'x' })); // prettier-ignore
    expect(found).toEqual(['upload/d: is a block-device, not a file', 'upload/p: is a fifo, not a file']);
  });

  it('stops at the first limit, before it has unpacked much', async () => {
    const bomb = gzipSync(await tar({ name: 'zeros', text: '\0'.repeat(64 * 1024 * 1024) }));
    await expect(faults(bomb)).resolves.toEqual([expect.stringContaining('larger than')]);
    const many = await tar(...Array.from({ length: 11 }, (_, index) => ({ name: `f${index}`, text: '0123456789' })));
    await expect(faults(many, { archiveEntries: 10 })).resolves.toEqual([expect.stringContaining('10 entries')]);
    await expect(faults(gzipSync(many), { archiveBytes: 100 })).resolves.toEqual([
      expect.stringContaining('100 bytes'),
    ]);
    const liar = zip({ name: 'small', text: 'x'.repeat(1_000_000), size: 10 });
    await expect(faults(liar)).resolves.toHaveLength(1);
    await expect(faults(zip({ name: 'a', text: 'x'.repeat(1000) }), { entryBytes: 999 })).resolves.toHaveLength(1);
  });

  it('bounds paths, and headers that hold no content', async () => {
    const names = ['x'.repeat(5_000), 'd/'.repeat(101) + 'f', 'ok'];
    const found = await faults(await tar(...names.map((name) => ({ name, text: name }))));
    expect(found.map((fault) => fault.slice(-40))).toEqual([
      expect.stringContaining('deeper than 100 folders'),
      expect.stringContaining('more than 4096 characters'),
    ]);
    const headers = gzipSync(await tar({ name: 'x'.repeat(50_000), text: 'y' }));
    await expect(faults(headers, { archiveBytes: 1000, archiveEntries: 10 })).resolves.toEqual([
      'upload: unpacks to more than 1000 bytes',
    ]);
  });

  it('finds what lies below links at once', async () => {
    const deep = 'd/'.repeat(60);
    const links = Array.from({ length: 100 }, (_, index) => ({ name: `l${index}`, type: 'symlink' as const, linkname: 'ok' })); // prettier-ignore
    const members = Array.from({ length: 5_000 }, (_, index) => ({ name: `${deep}${index}`, text: '' }));
    const archive = await tar({ name: 'ok', text: 'x' }, ...links, ...members, { name: 'l7/x', text: '' });
    await expect(faults(archive)).resolves.toEqual(['upload/l7/x: lies below a link']);
  });

  it('refuses what is damaged', async () => {
    const good = gzipSync(await tar({ name: 'a', text: 'x'.repeat(5000) }, { name: 'b', text: String(Math.PI) }));
    const checksum = Buffer.from(good);
    checksum.writeUInt32LE(1, good.length - 8);
    const cases = [good.subarray(0, good.length * 0.6), checksum, gzipSync('not a tar'.repeat(1000)), gzipSync('x'), Buffer.from('text'), Buffer.alloc(0), gzipSync(await tar()), zip(), zip({ name: 'a', text: 'x', crc: 1 }), zip({ name: 'a', text: 'xyz' }).subarray(0, 40)]; // prettier-ignore
    for (const bytes of cases) await expect(faults(bytes)).resolves.toHaveLength(1);
    const cut = (await tar({ name: 'a', text: 'x'.repeat(5000) })).subarray(0, 3000);
    await expect(faults(cut)).resolves.toHaveLength(1);
  });

  it('goes on counting where another archive stopped', async () => {
    const unpacked = { entries: 0, bytes: 0 };
    const file = { path: 'upload', bytes: await tar({ name: 'a', text: 'x'.repeat(100) }, { name: 'b', text: 'y' }) };
    await unpackArchive(file, DEFAULT_FORMAT_LIMITS, unpacked);
    expect(unpacked).toEqual({ entries: 2, bytes: 101 });
    await expect(unpackArchive(file, { ...DEFAULT_FORMAT_LIMITS, archiveEntries: 3 }, unpacked)).rejects.toThrow(
      '3 entries',
    );
  });

  it.each(['kind: ConfigMap', 'kind: ConfigMap\n'.repeat(100), 'x'.repeat(300_000)])(
    'says that a file compressed with gzip is no tar',
    async (text) => {
      await expect(read(gzipSync(text), {}, 'x.yaml.gz')).rejects.toMatchObject({
        message: 'x.yaml.gz is compressed with gzip, but its content is not a tar archive',
        remedy: expect.stringContaining('Unpack it') as unknown,
      });
    },
  );

  it('refuses a zip under the name of a tar', async () => {
    await expect(faults(zip({ name: 'a', text: 'x' }), {}, 'x.tar.gz')).resolves.toHaveLength(1);
  });
});
