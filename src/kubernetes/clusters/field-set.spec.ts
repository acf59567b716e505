import { type FieldSet, toFieldSet, uniteFieldSets } from './field-set.js';

describe('The union of field sets', () => {
  it('has each field once, and tells a field as a whole from the fields in it', () => {
    const sets: FieldSet[] = [
      { 'f:spec': { 'f:ports': { 'k:{"port":1}': { '.': {}, 'f:port': {} } } } },
      { 'f:spec': { 'f:ports': {}, 'f:type': {} } },
      { 'f:spec': { 'f:ports': { 'k:{"port":2}': {} } }, 'f:data': {} },
    ];
    const before = structuredClone(sets);
    expect(uniteFieldSets(sets)).toEqual({
      'f:spec': {
        'f:ports': { '.': {}, 'k:{"port":1}': { '.': {}, 'f:port': {} }, 'k:{"port":2}': {} },
        'f:type': {},
      },
      'f:data': {},
    });
    expect(sets).toEqual(before);
  });

  it('takes time in proportion to the number of fields', () => {
    const paths = (count: number) =>
      Array.from({ length: count }, (_, index) => ['f:spec', 'f:items', `k:{"name":"${index}"}`, 'f:value']);
    const measureOnce = (count: number): number => {
      const list = paths(count);
      const startedAt = performance.now();
      expect(Object.keys((toFieldSet(list)['f:spec'] as { 'f:items': object })['f:items'])).toHaveLength(count);
      return performance.now() - startedAt;
    };
    // The least of three: other tests share the processor.
    const measure = (count: number): number => Math.min(...[1, 2, 3].map(() => measureOnce(count)));
    expect(measure(50_000)).toBeLessThan(200 * Math.max(measure(1_000), 2));
  });
});
