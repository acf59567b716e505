import { type Json } from '../../core/json/json.js';
import { GeneratedValues } from './generated-values.js';

const send = (...parts: Json[]): string => Buffer.from(JSON.stringify(parts)).toString('base64').replaceAll('/', '_');

describe('The values that a chart generates', () => {
  it('are those of before for the same call, and new ones for another', () => {
    const kept = new Map<string, Json>();
    const first = new GeneratedValues(kept);
    expect([first.resolve('1.a', send('x', [8])), first.resolve('2.a', send('y', [8]))]).toEqual(['x', 'y']);
    const second = new GeneratedValues(kept);
    expect([second.resolve('1.a', send('new', [8])), second.resolve('1.a', send('other', [9]))]).toEqual([
      'x',
      'other',
    ]);
  });

  it('are kept up to 1 MiB in all', () => {
    const kept = new Map<string, Json>();
    const values = new GeneratedValues(kept);
    const text = 'x'.repeat(60_000);
    for (let index = 0; index < 30; index++) values.resolve(`${index}.a`, send(text, []));
    expect(values.used).toHaveLength(17);
    expect(JSON.stringify([...kept]).length).toBeLessThan(1024 * 1024 + 2_000);
    expect(values.resolve('small.a', send('y', []))).toBe('y');
  });
});
