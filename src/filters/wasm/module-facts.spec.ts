import { gzipSync } from 'node:zlib';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { HEADER, moduleOf, proxyFilter, section } from './module.fixture.js';
import { readModuleFacts } from './module-facts.js';

const factsIn = (bytes: Uint8Array | number[] | string) =>
  readModuleFacts({ bytes: typeof bytes === 'string' ? Buffer.from(bytes) : Uint8Array.from(bytes), pointer: '/file' });

/** The error for bytes that are not a module. */
function refusalOf(bytes: Uint8Array | number[] | string): { detail: string; remedy: string } {
  try {
    factsIn(bytes);
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    expect(error.errors).toEqual([{ pointer: '/file', detail: expect.any(String) as string, remedy: error.remedy }]);
    return { detail: error.errors[0]?.detail ?? '', remedy: error.remedy ?? '' };
  }
  throw new Error('it was taken');
}

describe('a module', () => {
  it('contain its ABI, its exports and its imports', () => {
    expect(factsIn(proxyFilter())).toEqual({
      abi: '0.2.1',
      exports: ['proxy_abi_version_0_2_1', 'proxy_on_request_headers'],
      imports: ['env.proxy_log'],
      exports_count: 2,
      imports_count: 1,
    });
    expect(factsIn(moduleOf({ exports: ['_start'] }))).toMatchObject({ abi: null, exports: ['_start'] });
    expect(factsIn(HEADER)).toMatchObject({ abi: null, exports: [], imports_count: 0 });
  });

  it('is read when it stands in the middle of a buffer', () => {
    const bytes = Buffer.concat([Buffer.from('before'), proxyFilter()]).subarray(6);
    expect(readModuleFacts({ bytes, pointer: '/file' }).abi).toBe('0.2.1');
  });

  it('may have any names, of which only the first are kept, and none that a database refuses', () => {
    const names = Array.from({ length: 1000 }, (_, index) => `name ${index}`);
    expect(factsIn(moduleOf({ exports: names }))).toMatchObject({ exports: names.slice(0, 200), exports_count: 1000 });
    const odd = factsIn(moduleOf({ exports: ['\0', '😀'.repeat(500)], imports: ['\0.\0'] }));
    expect(odd.exports).toEqual(['\ufffd', '😀'.repeat(200)]);
    expect(odd.imports).toEqual(['\ufffd.\ufffd']);
  });
});

describe('what is no module', () => {
  const component = [0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0];
  it.each<[string, Uint8Array | number[] | string, RegExp, RegExp]>([
    ['nothing', '', /^is empty$/, /\.wasm/],
    ['text of WebAssembly', '(module (func))', /as text \(\.wat\)/, /Compile it.*wat2wasm/],
    ['text behind comments', ' ;; a filter\n (; more ;)\n(module)', /as text/, /wat2wasm/],
    ['base64 sent as bytes', proxyFilter().toString('base64'), /base64 text/, /takes it once/],
    ['a component', component, /component model \(version 0x0d\)/, /core module/],
    ['another version', [0, 0x61, 0x73, 0x6d, 2, 0, 0, 0], /has version 2/, /compiler/],
    ['a compressed module', gzipSync(proxyFilter()), /is packed \(gzip\)/, /Unpack/],
    ['a zip', Buffer.from('PK\x03\x04rest'), /is packed \(zip\)/, /Unpack/],
    ['a program', Buffer.from('\x7fELF\x02\x01\x01'), /does not begin with the bytes 00 61 73 6d/, /compiled/],
    ['three bytes', HEADER.slice(0, 3), /cut off in its first bytes/, /again/],
    ['half a header', HEADER.slice(0, 6), /cut off within its header/, /again/],
    ['a module that is cut off', proxyFilter().subarray(0, -4), /not valid WebAssembly: .*, at byte \d+/, /again/],
    ['a section without end', [...HEADER, 1, 0xff], /not valid WebAssembly/, /again/],
    [
      'sections in a wrong order',
      [...HEADER, ...section(10, [[2, 0, 0x0b]]), ...section(1, [[0x60, 0, 0]])],
      /unexpected section|count/,
      /again/,
    ],
    [
      'a body that does not fit its type',
      [...HEADER, ...section(1, [[0x60, 0, 0]]), ...section(3, [[0]]), ...section(10, [[3, 0, 0x6a, 0x0b]])],
      /not enough arguments/,
      /again/,
    ],
  ])('is refused by what it is: %s', (_, bytes, detail, remedy) => {
    const refusal = refusalOf(bytes);
    expect(refusal.detail).toMatch(detail);
    expect(refusal.remedy).toMatch(remedy);
  });

  it('is refused at once, however long it goes on', () => {
    const before = performance.now();
    for (const text of [
      '(;;)'.repeat(1_000_000),
      '('.repeat(4_000_000),
      `(${' '.repeat(4_000_000)}`,
      '\0'.repeat(4_000_000),
    ])
      refusalOf(text);
    expect(performance.now() - before).toBeLessThan(1_000);
  });
});
