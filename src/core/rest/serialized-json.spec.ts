import { isLargeJson } from '../json/json-size.js';
import { SerializedJson } from './serialized-json.js';

const written = async (value: object): Promise<string> => {
  const { pieces } = await SerializedJson.serialize(value);
  return Buffer.concat(pieces).toString();
};

describe('large JSON answers', () => {
  const text = `line "one"\n${'é€😀\u0001\\'.repeat(60_000)}`;

  it.each([
    ['one long text', { pattern_file: text }],
    ['surrogate pairs at every place of a cut', { a: `x${'😀'.repeat(200_000)}`, b: '😀'.repeat(200_000) }],
    ['halves of pairs', { a: '\ud83d'.repeat(100_000), b: '\ude00'.repeat(100_000) }],
    ['many records', { records: Array.from({ length: 20_000 }, (_, id) => ({ id, at: new Date(id), text: null })) }],
    ['what JSON leaves out', { gone: undefined, run: () => 1, list: [undefined, () => 1, Symbol('a'), text], last: Symbol('b') }], // prettier-ignore
    ['values that write themselves', { toJSON: () => ({ text, toJSON: 1 }) }],
    ['deep ones', { a: { b: [{ c: { d: [text, text] } }], e: {} }, f: [], g: -0, h: NaN }],
  ])('are the bytes that JSON.stringify makes: %s', async (_name, value) => {
    expect(isLargeJson(value) || 'toJSON' in value).toBe(true);
    expect(await written(value)).toBe(JSON.stringify(value));
  });

  it('come in pieces, each of which is soon written', async () => {
    const { pieces } = await SerializedJson.serialize({ text });
    expect(pieces.length).toBeGreaterThan(3);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(1024 * 1024);
  });

  it('are distinguished from small ones without a full traversal', () => {
    expect(isLargeJson({ name: 'a', list: Array.from({ length: 50 }, (_, id) => ({ id, name: 'x'.repeat(20) })) })).toBe(false); // prettier-ignore
    expect(isLargeJson(new Array(1_000_000).fill(0))).toBe(true);
  });
});
