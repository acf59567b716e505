/** A record of an ordered list, and the number of records before it. */
export interface KeysetPosition {
  offset: number;
  value: string;
  id: string;
}

interface CachedList {
  /** The list version to which the positions belong. */
  version: string;
  positions: KeysetPosition[];
}

const MAX_LISTS = 500;
const MAX_POSITIONS = 100;

/** Caches keyset positions of long lists, so that distant pages are read by key. Positions are valid for one version of a list. */
export class KeysetCache {
  private readonly lists = new Map<string, CachedList>();

  /** Returns the last cached position at or before the offset. */
  findBefore(list: string, offset: number): { version: string; position: KeysetPosition } | undefined {
    const known = this.lists.get(list);
    if (!known) return undefined;
    let nearest: KeysetPosition | undefined;
    for (const position of known.positions)
      if (position.offset <= offset && position.offset > (nearest?.offset ?? -1)) nearest = position;
    return nearest && { version: known.version, position: nearest };
  }

  set(list: string, version: string, position: KeysetPosition): void {
    const before = this.lists.get(list);
    const known = before?.version === version ? before : { version, positions: [] };
    if (known.positions.some(({ offset }) => offset === position.offset)) return;
    if (known.positions.push(position) > MAX_POSITIONS) known.positions.shift();
    // Evicts the list that was added to least recently first.
    this.lists.delete(list);
    this.lists.set(list, known);
    const oldest = this.lists.size > MAX_LISTS ? this.lists.keys().next().value : undefined;
    if (oldest !== undefined) this.lists.delete(oldest);
  }
}
