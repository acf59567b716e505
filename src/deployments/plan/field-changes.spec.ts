import { diffFields, diffDesired } from './field-changes.js';

const kind = (name: string) => ({ kind: name, subresources: [] }) as unknown as Parameters<typeof diffFields>[0];
const object = (fields: object, name = 'ConfigMap') => ({
  apiVersion: 'v1',
  kind: name,
  metadata: { name: 'a', managedFields: [], resourceVersion: '1' },
  ...fields,
});
const numbered = (count: number, value: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, value]));

describe('The fields that a plan shows as changed', () => {
  it.each([diffFields, diffDesired])('are at most 200', (diff) => {
    const changes = diff(
      kind('ConfigMap'),
      object({ data: numbered(5_000, 'a') }),
      object({ data: numbered(5_000, 'b') }),
    );
    expect(changes).toHaveLength(200);
    expect(changes[0]).toEqual({ path: '/data/key0', from: 'a', to: 'b' });
    const [one] = diff(kind('ConfigMap'), object({ data: numbered(1, 'a') }), object({ data: numbered(1, 'b') }));
    expect(one).toEqual(changes[0]);
  });

  it('truncate long paths, texts and values', () => {
    const long = 'x'.repeat(100_000);
    const changes = diffFields(
      kind('ConfigMap'),
      object({ data: { text: long } }),
      object({ data: { text: `${long}y`, [long]: 'a', list: Array.from({ length: 1_000 }, () => 'a long list') } }),
    );
    expect(changes).toHaveLength(3);
    expect(changes.map(({ path }) => path.slice(0, 10))).toEqual(['/data/text', '/data/xxxx', '/data/list']);
    for (const change of changes) expect(JSON.stringify(change).length).toBeLessThan(1_200);
  });

  it('hide secret values before truncating', () => {
    const secret = (value: string) => object({ data: { key: value } }, 'Secret');
    expect(diffFields(kind('Secret'), secret('aHVzaA=='), secret('bG91ZA=='))).toEqual([
      { path: '/data/key', from: '(hidden)', to: '(hidden)' },
    ]);
    expect(diffFields(kind('Secret'), object({}, 'Secret'), secret('x'.repeat(10_000)))).toEqual([
      { path: '/data', from: null, to: { key: '(hidden)' } },
    ]);
  });
});
