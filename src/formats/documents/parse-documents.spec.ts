import { toYaml } from './yaml-writer.js';
import { type InvalidRequest } from '../../core/errors/app-error.js';
import { parseDocuments } from './parse-documents.js';
import { DEFAULT_FORMAT_LIMITS, type FormatLimits } from '../sources/format-limits.js';
import { toPointer } from '../../core/json/json-pointer.js';
import { type YamlDialect } from './yaml-scalar.js';
import { readThreadTime } from '../../core/processor-timer.js';

/** Milliseconds that this thread has worked, where the system reports it: other work of the machine does not count. */
const threadTime = (): number => readThreadTime('/proc/thread-self') ?? performance.now();

const bytesOf = (text: string) => new TextEncoder().encode(text);
const read = (text: string, dialect?: YamlDialect, limits?: Partial<FormatLimits>, path = 'file.yaml') =>
  parseDocuments({ path, bytes: bytesOf(text) }, dialect, { ...DEFAULT_FORMAT_LIMITS, ...limits });
const valueOf = (text: string, dialect?: YamlDialect) => read(text, dialect)[0]?.value;

function faultsOf(act: () => unknown) {
  try {
    act();
  } catch (error) {
    return (error as InvalidRequest).errors;
  }
  throw new Error('nothing was thrown');
}

describe('parseDocuments, types', () => {
  it('reads plain scalars as kubectl does', () => {
    const text = `
octal: [0644, 0o644, -017, "0644"]
hex: 0x1A4
binary: 0b101
grouped: 1_000
float: [1e3, 1.50, .5, 5., 08]
no_float: [1e400, 1.2.3, 10.0.0.1, 12:30:45, 1Gi, 1 2]
time: [2024-01-01, 2024-01-01T10:00:00Z]
none: [~, null, Null, ""]
empty:
truth: [yes, no, on, off, y, n, true, False]
quoted: ["yes", 'no', "1", '~']
special: [.inf, -.inf, .nan, =]
tagged: [!!str 123, !!int "7", !!float 3, !!bool "yes"]
`;
    expect(valueOf(text)).toEqual({
      octal: [420, 420, -15, '0644'],
      hex: 420,
      binary: 5,
      grouped: 1000,
      float: [1000, 1.5, 0.5, 5, 8],
      no_float: ['1e400', '1.2.3', '10.0.0.1', '12:30:45', '1Gi', '1 2'],
      time: ['2024-01-01', '2024-01-01T10:00:00Z'],
      none: [null, null, null, ''],
      empty: null,
      truth: [true, false, true, false, true, false, true, false],
      quoted: ['yes', 'no', '1', '~'],
      special: ['.inf', '-.inf', '.nan', '='],
      tagged: ['123', 7, 3, true],
    });
  });

  it('leaves the booleans of YAML 1.1 alone in the core dialect', () => {
    expect(valueOf('a: [yes, no, on, off, true, 0440]', 'core')).toEqual({ a: ['yes', 'no', 'on', 'off', true, 288] });
  });

  it('keeps keys as they are written', () => {
    expect(valueOf('on: 1\n8080: 2\n1.10: 3\n0644: 4\nnull: 5\n')).toEqual({
      on: 1,
      8080: 2,
      '1.10': 3,
      '0644': 4,
      null: 5,
    });
  });

  it('keeps the digits of integers of 64 bits, and refuses those that would lose them', () => {
    expect(valueOf('a: 9223372036854775000\nb: 9007199254740991')).toEqual({
      a: 9223372036854775000,
      b: 9007199254740991,
    });
    for (const text of [
      'a: 9223372036854775807\n',
      '{"a": 9223372036854775807}',
      'a: +9223372036854775807',
      'a: !!int 0x7fffffffffffffff',
    ])
      expect(toYaml([valueOf(text) ?? null])).toBe('a: 9223372036854775807\n');
    expect(faultsOf(() => read(`a: 1\nb: ${'9'.repeat(65)}\nc: ${'9'.repeat(70)}`))).toMatchObject([
      { line: 2, column: 4 },
      { line: 3, column: 4 },
    ]);
    expect(faultsOf(() => read(`{"a": 1e400, "b": ${'9'.repeat(65)}}`))).toHaveLength(2);
    expect(faultsOf(() => read('a: "\uf8ffinteger:9007199254740993"'))).toMatchObject([{ line: 1, column: 4 }]);
  });

  it('keeps integers that no double holds as text where numbers are text', () => {
    const file = (path: string, text: string) => ({ path, bytes: Buffer.from(text) });
    for (const [path, text] of [
      ['a.yaml', 'a: 12345678901234567890123'],
      ['a.json', '{"a": 12345678901234567890123}'],
    ] as const)
      expect(parseDocuments(file(path, text), 'core')[0]?.value).toEqual({ a: '12345678901234567890123' });
  });

  it('keeps texts of several lines', () => {
    expect(valueOf('a: |\n  x\n    y\n\nb: >-\n  one\n  two\nc: "x\\n\\\n  y"\nd: |+\n  z\n\n')).toEqual({
      a: 'x\n  y\n',
      b: 'one two',
      c: 'x\ny',
      d: 'z\n\n',
    });
  });
});

describe('parseDocuments, structure', () => {
  it('counts empty documents but leaves them out', () => {
    const documents = read('# nothing\n---\n---\na: 1\n---\n# still nothing\n---\nb: 2\n---\n');
    expect(documents.map(({ number, value }) => [number, value])).toEqual([
      [2, { a: 1 }],
      [4, { b: 2 }],
    ]);
  });

  it('finds places at once in objects of very many keys', () => {
    const text = Array.from({ length: 50_000 }, (_, index) => `"key ${index}": {"a": 1}`).join(',\n');
    const [document] = parseDocuments({ path: 'wide.json', bytes: bytesOf(`{${text}}`) });
    const started = threadTime();
    for (let index = 49_000; index < 50_000; index += 1) {
      expect(document?.findPosition(`/key ${index}/a`).line).toBe(index + 1);
    }
    expect(document?.findPosition('/key x')).toEqual({ line: 1, column: 1 });
    expect(threadTime() - started).toBeLessThan(3000);
  });

  it('knows where each member stands', () => {
    const [document] = read('a: 1\nspec:\n  "10": x\n  "9":\n    - name: b\n      image: c\n    - - d\n');
    expect(document?.findPosition('/a')).toEqual({ line: 1, column: 1 });
    expect(document?.findPosition('/spec/10')).toEqual({ line: 3, column: 3 });
    expect(document?.findPosition('/spec/9/0/image')).toEqual({ line: 6, column: 7 });
    expect(document?.findPosition('/spec/9/1/0')).toEqual({ line: 7, column: 9 });
    expect(document?.findPosition('/spec/9/1/7')).toEqual({ line: 7, column: 7 });
    expect(document?.findPosition('/spec/missing/deep')).toEqual({ line: 2, column: 1 });
    expect(document?.faultAt(toPointer('spec', 'a/b~'), 'is missing')).toEqual({
      pointer: '/spec/a~1b~0',
      detail: 'is missing',
      file: 'file.yaml',
      line: 2,
      column: 1,
    });
  });

  it('knows where each member of JSON stands', () => {
    const [document] = read('{\n  "a": [1,\n    {"b": null}],\n  "c/d": {}\n}', 'kubernetes', {}, 'file.yml');
    expect(document?.value).toEqual({ a: [1, { b: null }], 'c/d': {} });
    expect(document?.findPosition('/a/1/b')).toEqual({ line: 3, column: 6 });
    expect(document?.findPosition('/c~1d')).toEqual({ line: 4, column: 3 });
  });

  it('merges mappings, the own keys winning, the first of a list before the next', () => {
    const text =
      'base: &b {x: 1, y: 2}\nother: &o {y: 3, z: 4}\nall:\n  x: own\n  <<: [*b, *o]\n  w: [*b]\nquoted: {"<<": text}';
    expect(valueOf(text)).toMatchObject({
      all: { x: 'own', y: 2, z: 4, w: [{ x: 1, y: 2 }] },
      quoted: { '<<': 'text' },
    });
  });

  it('keeps local tags beside the value', () => {
    const [document] = read('a:\n  ports: !reset []\n  env: !override {b: !x 1}\n');
    expect(document?.value).toEqual({ a: { ports: [], env: { b: 1 } } });
    expect(document?.findTag('/a/ports')).toBe('!reset');
    expect(document?.findTag('/a/env/b')).toBe('!x');
    expect(document?.findTag('/a')).toBeUndefined();
  });

  it('takes quoted text that goes on at the indentation of its key, but not past a document', () => {
    expect(valueOf('a:\n  b: ["x\n  y\n  "]\n  c: "p\nq"\nd: 1')).toEqual({ a: { b: ['x y '], c: 'p q' }, d: 1 });
    expect(faultsOf(() => read('a: "x\n---\nb: 1'))).not.toEqual([]);
  });

  it('reads YAML in brackets that is not JSON', () => {
    expect(valueOf("{'a': 1, b: [x, z,],}")).toEqual({ a: 1, b: ['x', 'z'] });
    expect(valueOf('{"a": 1, b: c}')).toEqual({ a: 1, b: 'c' });
  });
});

describe('parseDocuments, hostile input', () => {
  it('lists the faults of all documents', () => {
    const faults = faultsOf(() => read('a: 1\na: 2\n---\nb: [1\n---\nc: *nothing\n---\nd: "\\q"\n'));
    expect(faults.map(({ line }) => line)).toEqual(expect.arrayContaining([2, 6, 8]));
    expect(faults.every(({ file, column, detail }) => file === 'file.yaml' && column && detail)).toBe(true);
  });

  it('lists no more faults than the limit, and says how many are left', () => {
    const text = Array.from({ length: 20 }, (_, index) => `a: ${index}`).join('\n');
    expect(faultsOf(() => read(text, 'core', { faults: 5 }))).toHaveLength(5);
  });

  it('never reaches a prototype', () => {
    for (const text of [
      '__proto__: {polluted: 1}',
      '{"a": {"__proto__": {"polluted": 1}}}',
      'a: &x {"__proto__": 1}\nb: {<<: *x}',
    ]) {
      expect(faultsOf(() => read(text))[0]?.detail).toContain('__proto__');
    }
    expect(valueOf('constructor: 1\ntoString: {valueOf: 2}')).toEqual({ constructor: 1, toString: { valueOf: 2 } });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('bounds aliases in number and in what they stand for', () => {
    const laughs = ['a: &a [x, x, x, x, x, x, x, x, x]', ...'bcdefghi'.split('').map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[index]}`).join(', ')}]`)].join('\n'); // prettier-ignore
    expect(faultsOf(() => read(laughs))).toHaveLength(1);
    const aliases = (count: number): string => `a: &a 1\nb: [${Array(count).fill('*a').join(', ')}]`;
    expect(faultsOf(() => read(aliases(10_001)))).toMatchObject([
      {
        detail: 'has more than 10000 aliases',
        remedy: 'Write the content out.',
      },
    ]);
    expect(read(aliases(10_000))).toHaveLength(1);
  });

  it('bounds what many aliases of much stand for, before it is made', () => {
    const started = threadTime();
    const text = `a: &a ${'x'.repeat(100_000)}\nb:\n${'- *a\n'.repeat(9_000)}`;
    expect(faultsOf(() => read(text))).toMatchObject([
      {
        detail: 'aliases expand to more than 10485760 bytes',
        remedy: 'Write the content out.',
      },
    ]);
    const list = `a: &a [${'x, '.repeat(10_000)}]\nb:\n${'- *a\n'.repeat(9_000)}`;
    expect(faultsOf(() => read(list))).toHaveLength(1);
    const merged = `a: &a {${Array.from({ length: 10_000 }, (_, n) => `k${n}: 1`).join(', ')}}\nb:\n${'- <<: *a\n'.repeat(9_000)}`;
    expect(faultsOf(() => read(merged))).toHaveLength(1);
    expect(threadTime() - started).toBeLessThan(5_000);
  });

  it.each([
    ['explicit keys', '? '.repeat(2_000_000), 'nested deeper than 100 levels'],
    ['templates', '{{ . }}'.repeat(1_000_000), 'Unexpected flow-map-start'],
    ['open braces', '{'.repeat(2_000_000), 'nested deeper than 100 levels'],
    ['pairs in pairs', `[${'a: '.repeat(1_000_000)}]`, 'nested deeper than 100 levels'],
    ['closing brackets', ']'.repeat(2_000_000), 'Unexpected flow-seq-end'],
    ['empty collections', `- [${'[],'.repeat(1_000_000)}]`, 'has more than 1000000 tokens'],
    ['items', '- a:\n'.repeat(1_000_000), 'has more than 1000000 tokens'],
    ['values of JSON', `[${'1,'.repeat(1_000_001)}1]`, 'has more than 1000000 values'],
  ])('stops reading megabytes of %s where it is clear what they are', (_, text, detail) => {
    const started = threadTime();
    const found = faultsOf(() => read(text));
    expect(found.some((fault) => fault.detail.includes(detail))).toBe(true);
    // What is too deep or full of errors ends within milliseconds, what is long after its first million tokens.
    expect(threadTime() - started).toBeLessThan(detail.includes('1000000') ? 10_000 : 1_000);
  });

  it('refuses an anchor inside itself', () => {
    expect(faultsOf(() => read('a: &a {b: *a}'))[0]).toMatchObject({ line: 1, column: 11 });
  });

  it('bounds the depth of YAML and JSON without recursing', () => {
    const started = threadTime();
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
      ['- ', ''],
      ['{a: ', '}'],
    ] as const) {
      // prettier-ignore
      expect(faultsOf(() => read(`${open.repeat(20_000)}1${close.repeat(20_000)}`))[0]?.detail).toContain('deeper');
    }
    expect(read(`${'['.repeat(100)}${']'.repeat(100)}`)).toHaveLength(1);
    expect(faultsOf(() => read(`${'['.repeat(101)}${']'.repeat(101)}`))).toHaveLength(1);
    expect(threadTime() - started).toBeLessThan(5000);
  });

  it('passes over empty lines and comments, which leave places and block texts as they are', () => {
    const empty = '\n  \n# comment\n\t\n'.repeat(50_000);
    const [document] = read(`${empty}a: 1\n${empty}b: [1,${empty} 2]\nc: |\n  x\n\n\n  # y\n${empty}`);
    expect(document?.value).toEqual({ a: 1, b: [1, 2], c: 'x\n\n\n# y\n' });
    expect(document?.findPosition('/b')).toEqual({ line: 400_002, column: 1 });
    expect(document?.findPosition('/b/1')).toEqual({ line: 600_002, column: 2 });
    expect(read('\n'.repeat(5_000_000))).toEqual([]);
  });

  it('bounds documents and the digits of a number', () => {
    expect(faultsOf(() => read('---\n'.repeat(150_000)))).toMatchObject([
      { line: 100_001, detail: 'has more than 100000 documents' },
    ]);
    for (const digits of [`0x${'f'.repeat(1_000_000)}`, `0${'7'.repeat(1_000_000)}`, '9'.repeat(1_000_000)])
      expect(faultsOf(() => read(`a: ${digits}`))).toMatchObject([
        { detail: expect.stringContaining('more digits') as string },
      ]);
  });

  it('refuses tags that are not data', () => {
    expect(faultsOf(() => read('a: !!python/object/apply:os.system ["true"]\nb: !!set {x}\nc: !!int x'))).toHaveLength(
      3,
    );
  });

  it('refuses text that cannot be stored', () => {
    expect(faultsOf(() => read('a: "x\\0y"\nb: "\\ud800"'))).toHaveLength(2);
    expect(faultsOf(() => read('{"a\\u0000": "\\ud800"}'))).toHaveLength(2);
  });

  it('reads several documents of JSON, one after another or between lines of ---', () => {
    for (const between of ['', ' ', '\n', '\r\n', '\n---\n', '\n--- \n\n---\n  ']) {
      const documents = read(
        `{"a": 1}${between}{"b": [2]}\n${between.includes('-') ? '---\n' : ''}`,
        'core',
        {},
        'file.json',
      );
      expect(documents.map(({ value }) => value)).toEqual([{ a: 1 }, { b: [2] }]);
      const line = between.split('\n').length;
      expect(documents[1]?.findPosition('/b').line).toBe(line);
    }
    expect(faultsOf(() => read('{"a": 1}\n{"b": 2}\n{"c": 3, "c": 4}', 'core', { documents: 2 }))).toMatchObject([
      { line: 3, detail: 'has more than 2 documents' },
    ]);
  });

  it('refuses JSON with comments, trailing commas, or more behind it', () => {
    for (const text of [
      '{"a": 1, // no\n"b": 2}',
      '{"a": 1,}',
      '{"a": 1} b',
      '{"a": 1} --- {"b": 2}',
      '{"a": 1} 2',
      '{"a": ',
      '{"a": "\n"}',
      '[1 2]',
    ]) {
      expect(faultsOf(() => read(text, 'core', {}, 'file.json'))[0]).toMatchObject({ file: 'file.json', line: 1 });
    }
  });
});

describe('parseDocuments, bytes', () => {
  const readBytes = (bytes: Uint8Array) => parseDocuments({ path: 'f', bytes })[0]?.value;

  it('takes byte order marks, UTF-16 and every kind of line end', () => {
    expect(readBytes(bytesOf('\ufeffa: 1'))).toEqual({ a: 1 });
    expect(readBytes(Buffer.from('\ufeffa: é', 'utf16le'))).toEqual({ a: 'é' });
    expect(readBytes(Buffer.from('\ufeffa: é', 'utf16le').swap16())).toEqual({ a: 'é' });
    const lineEnds = 'a: 1\rb: |\r\n  é\r\n\r\r\n  f\r\nc: 3\r';
    expect(readBytes(bytesOf(lineEnds))).toEqual({ a: 1, b: 'é\n\n\nf\n', c: 3 });
    expect(readBytes(Buffer.from(`\ufeff${lineEnds}`, 'utf16le'))).toEqual({ a: 1, b: 'é\n\n\nf\n', c: 3 });
  });

  it('locates bytes that are not text', () => {
    expect(faultsOf(() => readBytes(Buffer.from('a: é\nbé: \xff', 'latin1')))[0]).toMatchObject({ line: 1, column: 4 });
    expect(faultsOf(() => readBytes(bytesOf('a: 1\nb: \0')))[0]).toMatchObject({ line: 2, column: 4 });
  });
});
