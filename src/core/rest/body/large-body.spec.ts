import { INLINE_MAX_BYTES } from '../../json/json-chunks.js';
import { toJsonBytes, PackedJson } from '../../json/packed-json.js';
import { findUnstorableParts } from '../../json/storable-json.js';
import { hashJson } from './json-body.js';
import { assembleBody, type LargeBody, parseLargeBody } from './large-body.js';

const read = (body: unknown): LargeBody =>
  parseLargeBody(new TextEncoder().encode(JSON.stringify(body)), { digest: true });

const list = (count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({ name: `n${index}`, ok: true }));

describe('A large body', () => {
  const bodies: [string, object][] = [
    [
      'with one heavy member',
      { name: 'x', pattern_data: { design_file: { components: list(9_000) }, values: { a: 1 } } },
    ],
    [
      'with many light members',
      Object.fromEntries(list(90).map((each, index) => [`m${index}`, list(300).concat(each)])),
    ],
    ['with many members', { metadata: Object.fromEntries(list(9_000).map((each, index) => [`m${index}`, each])) }],
    ['that is a list', list(9_000)],
    [
      'with names that objects have of themselves',
      JSON.parse(`{"a":{"__proto__":${JSON.stringify(list(9_000))}}}`) as object,
    ],
  ];

  it.each(bodies)('%s is the same JSON when it is written again', (_, body) => {
    const whole = Buffer.from(toJsonBytes(assembleBody(read(body)))).toString();
    expect(whole === JSON.stringify(body)).toBe(true);
  });

  it.each(bodies)('%s leaves little data on the main thread', (_, body) => {
    const { value, packed } = read(body);
    expect(packed.length).toBeGreaterThan(0);
    expect(JSON.stringify(value).length).toBeLessThan(INLINE_MAX_BYTES * 1.1);
  });

  it('has the faults of its packed parts in their places', () => {
    const body = assembleBody(read({ metadata: { list: [...list(9_000), 'bad\0'] } }));
    expect(findUnstorableParts(body, '')).toEqual([
      { pointer: '/metadata/list/9000', detail: 'must not contain the NUL character' },
    ]);
  });

  it('has the same digest in whatever order its members come', () => {
    const [a, b] = [list(9_000), { 10: 1, 2: 2 }];
    expect(read({ a, b }).digest).toBe(read({ b, a }).digest);
    expect(read({ a, b }).digest).toBe(hashJson({ b, a }));
    expect(read({ a: [...a].reverse(), b }).digest).not.toBe(read({ a, b }).digest);
  });

  it('is packed in parts that know whether they are lists', () => {
    const { a } = assembleBody(read({ a: list(9_000), b: 1 })) as { a: unknown };
    expect(a).toBeInstanceOf(PackedJson);
    expect(a).toMatchObject({ isList: true, faults: [] });
  });
});
