import type { SelectQueryBuilder } from 'typeorm';
import { readFarPage } from './far-page.js';
import { KeysetCache } from './keyset-cache.js';
import type { Selected, SelectOptions } from './list-source.js';

interface Row {
  id: string;
  createdAt: Date;
}

const column = {
  sql: 'record.created_at',
  type: 'timestamptz' as const,
  getValue: ({ createdAt }: Row) => createdAt,
};

/** Records the calls on a query. */
class Query {
  condition: string | undefined;
  from: string | undefined;
  skipped: number | undefined;
  clone = (): Query => new Query();
  getParameters = () => ({ organizationId: 'one' });
  andWhere(condition: string, values: Record<string, string>): this {
    [this.condition, this.from] = [condition, values['walkId']];
    return this;
  }
  offset(skipped: number | undefined): this {
    this.skipped = skipped;
    return this;
  }
}

/** A list whose records are named by their position. */
class FarList {
  version = 'a';
  readonly asked: { from: string | undefined; skipped: number | undefined; isNamed: boolean }[] = [];
  private readonly positions = new KeysetCache();

  async read(offset: number, direction: 'ASC' | 'DESC' = 'DESC'): Promise<string | undefined> {
    const getMany = (rows: unknown, { isNamed }: SelectOptions): Promise<Selected<Row>> => {
      const { from, skipped } = rows as Query;
      this.asked.push({ from, skipped, isNamed });
      const id = String(Number(from ?? 0) + (skipped ?? 0));
      const records = Number(id) < 5_000 ? [{ id, createdAt: new Date(0) }] : [];
      return Promise.resolve({ records, ...(records.length > 0 && this.version ? { version: this.version } : {}) });
    };
    const { positions } = this;
    const rows = new Query() as unknown as SelectQueryBuilder<Row>;
    const position = { alias: 'record', column, direction, offset, version: 'SELECT version', positions };
    return (await readFarPage(rows, { getMany }, position, { isNamed: true })).records[0]?.id;
  }

  get last(): unknown {
    return this.asked.at(-1);
  }
}

describe('a page far from the beginning', () => {
  it('is read by its offset at first, then from the last position before it', async () => {
    const list = new FarList();
    expect(await list.read(1_000)).toBe('1000');
    expect(list.last).toEqual({ from: undefined, skipped: 1_000, isNamed: false });
    expect(await list.read(1_000)).toBe('1000');
    expect(list.last).toEqual({ from: '1000', skipped: undefined, isNamed: true });
    await list.read(1_500);
    expect(list.last).toEqual({ from: '1000', skipped: 500, isNamed: false });
    await list.read(1_520);
    expect(list.last).toEqual({ from: '1500', skipped: 20, isNamed: false });
    await list.read(980);
    expect(list.last).toEqual({ from: undefined, skipped: 980, isNamed: false });
    expect(list.asked).toHaveLength(5);
  });

  it('does not use the positions of another version, or of the other direction', async () => {
    const list = new FarList();
    await list.read(1_000);
    await list.read(1_000, 'ASC');
    expect(list.last).toMatchObject({ from: undefined, skipped: 1_000 });
    list.version = 'b';
    expect(await list.read(1_020)).toBe('1020');
    expect(list.asked.slice(-2)).toMatchObject([
      { from: '1000', skipped: 20 },
      { from: undefined, skipped: 1_020 },
    ]);
    await list.read(1_020);
    expect(list.last).toMatchObject({ from: '1020' });
  });

  it('caches nothing for callers who do not see all of the list', async () => {
    const list = new FarList();
    list.version = '';
    await list.read(1_000);
    await list.read(1_000);
    expect(list.asked).toEqual([1, 2].map(() => ({ from: undefined, skipped: 1_000, isNamed: false })));
  });

  it('is empty past the end', async () => {
    const list = new FarList();
    await list.read(4_900);
    expect(await list.read(6_000)).toBeUndefined();
    expect(list.last).toMatchObject({ from: undefined, skipped: 6_000 });
  });
});

describe('positions', () => {
  it('are evicted, the oldest first, when there are too many in a list or too many lists', () => {
    const positions = new KeysetCache();
    for (let offset = 1; offset <= 101; offset++) positions.set('long', 'a', { offset, value: '', id: '' });
    expect(positions.findBefore('long', 1)).toBeUndefined();
    expect(positions.findBefore('long', 2)?.position.offset).toBe(2);
    for (let nth = 0; nth < 500; nth++) positions.set(`list ${nth}`, 'a', { offset: 1, value: '', id: '' });
    expect(positions.findBefore('long', 200)).toBeUndefined();
    expect(positions.findBefore('list 499', 200)?.version).toBe('a');
  });
});
