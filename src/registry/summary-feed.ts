import { on } from 'node:events';
import { EventEmitter } from 'node:events';
import { Injectable } from '@nestjs/common';
import { throughOutages } from '../core/database/outage.js';
import { EventStream } from '../core/events/event-stream.js';
import { type NamedCount, RegistrySummaries } from './registry-summaries.js';

export interface Summary {
  components: NamedCount[] | null;
  relationships: NamedCount[] | null;
}

/** Changes that come together are told of once. */
const TOGETHER_MS = 200;

/** The summary of the registry, followed as it changes on any replica. */
@Injectable()
export class SummaryFeed {
  constructor(
    private readonly summaries: RegistrySummaries,
    private readonly stream: EventStream,
  ) {}

  /** @param type components, relationships or all */
  async summary(type: string): Promise<Summary> {
    return {
      components: type === 'relationships' ? null : await this.summaries.components(),
      relationships: type === 'components' ? null : await this.summaries.relationships(),
    };
  }

  /** Each message is made when it is asked for, so a subscriber that does not read holds up nothing. */
  async *follow(type: string): AsyncGenerator<Summary> {
    const changes = new EventEmitter();
    const aborter = new AbortController();
    let pending: NodeJS.Timeout | null = null;
    const changed = () => {
      pending ??= setTimeout(() => {
        pending = null;
        changes.emit('changed');
      }, TOGETHER_MS);
    };
    const stops = [
      this.stream.listen(({ category }) => {
        if (category === 'registry') changed();
      }),
      this.stream.onGap(changed),
    ];
    try {
      const told = on(changes, 'changed', { signal: aborter.signal });
      yield await this.summary(type);
      for await (const _ of told) {
        const summary = await throughOutages(
          () => this.summary(type),
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
