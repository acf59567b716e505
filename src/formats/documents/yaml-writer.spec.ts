import { parseAllDocuments } from 'yaml';
import { parseDocuments } from './parse-documents.js';
import type { Json } from '../../core/json/json.js';
import { toYaml } from './yaml-writer.js';

const asFile = (text: string) => ({ path: 'written.yaml', bytes: new TextEncoder().encode(text) });

const words = [
  '', ' ', 'a b', 'yes', 'no', 'on', 'off', 'y', 'N', 'true', 'False', 'null', '~', 'NULL', '=', '<<', '0', '1', '-1', '+1', '0644', '0o17', '017', '08', '0xFF', '0XFF', '0b1', '0B1', '0O17',
  '1_000', '1e3', '1E3', '1.5', '.5', '5.', '-.5', '+.5', '1e400', '.inf', '-.Inf', '.nan', '.NaN', '12:30:45', '1:2', '2024-01-01', '2024-01-01T00:00:00Z', '2024-01-01 00:00:00', '10.0.0.1', '1.2.3',
  '1Gi', '100m', '8080/tcp', '80:80', '12e', '1d', 'cafe', 'e5', '9223372036854775807', '12345678901234567890123', '- a', '-', '--', '---', '...', '--- a', '... a', '?', '? a', ':', ': a', 'a: b', 'a:', 'a:b',
  '#a', 'a #b', 'a#b', '&a', '*a', '!a', '!!str', '|', '>', '%a', '@a', '`a`', '"a"', "'a'", "it's", '[a]', '{a}', '{{ a }}', 'a,b', 'a]', 'a}', ' a', 'a ', '\ta', 'a\t', 'a\\b', '\u0085', '\u00a0', '\u2028', '\ufeff', '\ufeffa', 'é', '日本', '🚀', '\u200b',
  'a\u0007', '\u007f', 'a\nb', 'a\n', 'a\n\n', '\n', '\n\n', '\na', '\n a', ' a\n b', '  a\nb\n', 'a\n  \nb', 'a\n ', 'a\n \n', '\ta\nb', 'a\n\tb', 'a\r\nb', 'a\n---\nb', '---\na\n', '# a\nb', 'a: b\nc: d\n', 'a\n\n\nb\n\n\n', 'x'.repeat(3000), 'x y '.repeat(500) + 'z', 'a\u2028\nb', '\n\n  x\n',
]; // prettier-ignore

describe('toYaml', () => {
  it.each(['kubernetes', 'core'] as const)('keeps every text as it is, for a reader of the dialect %s', (dialect) => {
    const documents: Json[] = [
      words,
      { deep: { list: words.map((word) => ({ word, list: [word, [word, [word]]] })) } },
    ];
    documents.push(
      Object.fromEntries(words.map((word, index) => [`k${index}`, { word }])),
      Object.fromEntries(words.filter(Boolean).map((word) => [word, { a: [word] }])),
    );
    const text = toYaml(documents);
    const withoutControl = text;
    expect(parseDocuments(asFile(withoutControl), dialect).map(({ value }) => value)).toEqual(documents);
  });

  it.each(['1.1', '1.2'] as const)('keeps every text as it is, for YAML %s', (version) => {
    const read = parseAllDocuments(
      toYaml([words, { words }, Object.fromEntries(words.map((word, index) => [`k${index}`, word]))]),
      { version },
    );
    expect(read.map((document) => document.toJS() as unknown)).toEqual([
      words,
      { words },
      Object.fromEntries(words.map((word, index) => [`k${index}`, word])),
    ]);
  });

  it('keeps numbers, booleans, null and empty containers', () => {
    const value = {
      a: [1, -1, 0, 1.5, 1e21, 1e-7, 9223372036854775000],
      b: [true, false, null],
      c: {},
      d: [],
      e: [[], {}, [[]], [{}]],
      f: { g: { h: [] } },
    };
    expect(parseDocuments(asFile(toYaml([value])))[0]?.value).toEqual(value);
  });

  it('writes in the style of Kubernetes', () => {
    const value = {
      apiVersion: 'v1',
      metadata: { name: 'a', labels: { on: 'yes' } },
      spec: { ports: [{ port: 80, name: '80' }, [1, 2]], args: ['--a=b', '-c', 'x: y'], script: 'set -e\necho 1\n' },
    };
    expect(toYaml([value, { a: 1 }])).toBe(`apiVersion: v1
metadata:
  name: a
  labels:
    "on": "yes"
spec:
  ports:
  - port: 80
    name: "80"
  - - 1
    - 2
  args:
  - --a=b
  - -c
  - "x: y"
  script: |
    set -e
    echo 1
---
a: 1
`);
  });

  it('leaves out members that are undefined', () => {
    expect(toYaml([{ a: undefined, b: 1 }])).toBe('b: 1\n');
  });
});
