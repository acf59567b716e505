import { ConnectionShares } from './connection-shares.js';

/** The organizations in the order in which they got a connection. */
function takeAll(shares: ConnectionShares, ...organizations: string[]): string[] {
  const granted: string[] = [];
  for (const organization of organizations) shares.take(organization, () => granted.push(organization));
  return granted;
}

describe('The connections of a pool', () => {
  it('are kept free in part for organizations that hold none', () => {
    const shares = new ConnectionShares(10);
    expect(takeAll(shares, ...Array<string>(12).fill('a'))).toHaveLength(8);
    expect(takeAll(shares, 'b', 'b')).toEqual(['b']);
    expect(takeAll(shares, 'c')).toEqual(['c']);
    expect(takeAll(shares, 'd')).toEqual([]);
    expect([shares.busy, shares.waitingCount]).toEqual([10, 6]);
  });

  it('go to the organization that holds the fewest', () => {
    const shares = new ConnectionShares(3);
    const granted = takeAll(shares, 'a', 'a', 'a', 'a', 'a', 'b', 'b');
    expect(granted).toEqual(['a', 'a', 'a']);
    for (const organization of ['a', 'a', 'a', 'b']) shares.release(organization);
    expect(granted).toEqual(['a', 'a', 'a', 'b', 'a', 'b', 'a']);
  });

  it('are not given to those that no longer wait', () => {
    const shares = new ConnectionShares(1);
    const granted = takeAll(shares, 'a');
    const leave = shares.take('b', () => granted.push('b'));
    shares.take('c', () => granted.push('c'));
    leave();
    shares.release('a');
    expect(granted).toEqual(['a', 'c']);
  });
});
