/** A place in an ordered list: the record that `offset` others come before. */
export interface Place {
  offset: number;
  value: string;
  id: string;
}

interface Places {
  /** The version of the list in which each record has its place. */
  version: string;
  places: Place[];
}

const MAX_LISTS = 500;
const MAX_PLACES = 100;

/** Places in long lists, remembered so that a page far from the beginning is found by key. They hold for one version of a list. */
export class ListPlaces {
  private readonly lists = new Map<string, Places>();

  /** The last known place that is not after the offset. */
  findBefore(list: string, offset: number): { version: string; place: Place } | undefined {
    const known = this.lists.get(list);
    if (!known) return undefined;
    let nearest: Place | undefined;
    for (const place of known.places)
      if (place.offset <= offset && place.offset > (nearest?.offset ?? -1)) nearest = place;
    return nearest && { version: known.version, place: nearest };
  }

  remember(list: string, version: string, place: Place): void {
    const before = this.lists.get(list);
    const known = before?.version === version ? before : { version, places: [] };
    if (known.places.some(({ offset }) => offset === place.offset)) return;
    if (known.places.push(place) > MAX_PLACES) known.places.shift();
    // The list that was added to last is forgotten last.
    this.lists.delete(list);
    this.lists.set(list, known);
    const oldest = this.lists.size > MAX_LISTS ? this.lists.keys().next().value : undefined;
    if (oldest !== undefined) this.lists.delete(oldest);
  }
}
