import {
  assertOutsideTransaction,
  openTransaction,
  type OpenTransaction,
  tolerateWorkInTransactions,
} from './open-transaction.js';

const inside = (work: string, isOver = false): void =>
  openTransaction.run({ isOver } as OpenTransaction, () => assertOutsideTransaction(work));

describe('work that others decide the time of', () => {
  it('is refused inside a transaction, and only there', () => {
    expect(() => inside('a mail')).toThrow('a mail must not run inside a transaction');
    expect(() => assertOutsideTransaction('a mail')).not.toThrow();
    expect(() => inside('a mail', true)).not.toThrow();
  });

  it('is logged in production, each kind of it once, and runs', () => {
    const logged: string[] = [];
    const endTolerance = tolerateWorkInTransactions(({ message }) => void logged.push(message));
    for (const work of ['a mail', 'a mail', 'a request to a cluster', 'a mail']) inside(work);
    assertOutsideTransaction('a worker');
    endTolerance();
    expect(() => inside('a mail')).toThrow('a mail must not run inside a transaction');
    expect(logged).toEqual([
      expect.stringContaining('a mail must not run'),
      expect.stringContaining('a request to a cluster must not run'),
    ]);
  });
});
