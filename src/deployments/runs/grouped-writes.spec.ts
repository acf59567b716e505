import { GroupedWrites } from './grouped-writes.js';

describe('Writes of several callers', () => {
  it('form one group during a write, and groups are written one after another', async () => {
    const written: number[][] = [];
    const ends: (() => void)[] = [];
    const writes = new GroupedWrites<number>((items) => {
      written.push(items);
      return new Promise((resolve) => ends.push(resolve));
    });
    const [one, two, three] = [writes.add([1]), writes.add([2]), writes.add([])];
    await Promise.resolve();
    const [four, five] = [writes.add([3]), writes.add([4, 5])];
    expect(written).toEqual([[1, 2]]);
    ends[0]?.();
    await Promise.all([one, two, three]);
    expect(written).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
    ends[1]?.();
    await Promise.all([four, five]);
  });

  it('fail together, and later ones are written', async () => {
    const writes = new GroupedWrites<string>((items) =>
      items.includes('bad') ? Promise.reject(new Error('refused')) : Promise.resolve(),
    );
    const [bad, beside] = [writes.add(['bad']), writes.add(['beside'])];
    await expect(bad).rejects.toThrow('refused');
    await expect(beside).rejects.toThrow('refused');
    await expect(writes.add(['good'])).resolves.toBeUndefined();
  });
});
