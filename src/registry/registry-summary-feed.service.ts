import { on } from 'node:events';
import { EventEmitter } from 'node:events';
import { Injectable } from '@nestjs/common';
import { retryDuringOutage } from '../core/database/database-outage.js';
import { EventStream } from '../core/events/event-stream.js';
import { type NamedCount, RegistrySummaryStore } from './registry-summary.store.js';

export interface RegistryCounts {
  components: NamedCount[] | null;
  relationships: NamedCount[] | null;
}

/** Changes that come together are told of once. */
const DEBOUNCE_MS = 200;

/** The summary of the registry, followed as it changes on any replica. */
@Injectable()
export class RegistrySummaryFeedService {
  constructor(
    private readonly summaries: RegistrySummaryStore,
    private readonly stream: EventStream,
  ) {}

  /** @param type components, relationships or all */
  async getCounts(type: string): Promise<RegistryCounts> {
    return {
      components: type === 'relationships' ? null : await this.summaries.countComponents(),
      relationships: type === 'components' ? null : await this.summaries.countRelationships(),
    };
  }

  /** Each message is made when it is asked for, so a subscriber that does not read holds up nothing. */
  async *subscribe(type: string): AsyncGenerator<RegistryCounts> {
    const changes = new EventEmitter();
    const aborter = new AbortController();
    let pending: NodeJS.Timeout | null = null;
    const changed = () => {
      pending ??= setTimeout(() => {
        pending = null;
        changes.emit('changed');
      }, DEBOUNCE_MS);
    };
    const stops = [
      this.stream.subscribe(({ category }) => {
        if (category === 'registry') changed();
      }),
      this.stream.onReconnect(changed),
    ];
    try {
      const told = on(changes, 'changed', { signal: aborter.signal });
      yield await this.getCounts(type);
      for await (const _ of told) {
        const summary = await retryDuringOutage(
          () => this.getCounts(type),
          () => true,
        );
        if (summary) yield summary;
      }
    } finally {
      stops.forEach((stop) => stop());
      if (pending) clearTimeout(pending);
      aborter.abort();
    }
  }
}
