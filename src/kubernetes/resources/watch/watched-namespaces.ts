import { Injectable } from '@nestjs/common';

/** A namespace in which a kind is watched that may not be listed in all of them, and the connections that use it. */
export interface WatchedPlace {
  namespace: string;
  connectionIds: string[];
}

export type NamespaceFinder = (connectionId: string, limit: number) => Promise<string[]>;

/** The maximum number of namespaces per cluster; each kind is watched in each of them. */
const MAX_NAMESPACES = 20;

/** Later features register the namespaces that they use on a cluster, for credentials that may not list all namespaces. */
@Injectable()
export class WatchedNamespaces {
  private readonly finders: NamespaceFinder[] = [];

  register(finder: NamespaceFinder): void {
    this.finders.push(finder);
  }

  async find(connectionId: string): Promise<string[]> {
    const found = await Promise.all(this.finders.map((finder) => finder(connectionId, MAX_NAMESPACES)));
    return [...new Set(found.flat())].slice(0, MAX_NAMESPACES);
  }
}
