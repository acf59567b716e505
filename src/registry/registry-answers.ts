import { Injectable } from '@nestjs/common';
import { asksForAll } from '../core/listing/list-query.js';
import { type Envelope, envelope, type Page } from '../core/listing/page.js';
import { StreamedList } from '../core/rest/streamed-list.js';
import { ComponentsStore } from './components/components.store.js';
import { versionOrder } from './models/version-order.js';
import { ModelsStore } from './models/models.store.js';
import type { RegistryListQuery, RegistryScope } from './registry-list-query.js';
import { RegistryPresenter } from './registry-presenter.js';
import { RegistryRevisionStore } from './registry-revision.store.js';
import { RegistryService } from './registry.service.js';
import { RelationshipsStore } from './relationships/relationships.store.js';

/** A view that tells which version of a model it is of. */
type Shown = object & { version?: string; model?: { version: string } };

/** One of the three kinds of lists: how its pages and batches are found and shown. */
interface Source<E> {
  plural: string;
  page: () => Promise<Page<E>>;
  all: () => AsyncIterable<E[]>;
  /** Judges whether one answer may carry what the entities of a page show. */
  admit?: (entities: E[]) => Promise<void>;
  show: (entities: E[]) => Promise<Shown[]>;
}

/** A page, or everything as a stream. */
export type RegistryList = Envelope | StreamedList;

/** Answers with the lists of the registry. */
@Injectable()
export class RegistryAnswers {
  constructor(
    private readonly registry: RegistryService,
    private readonly presenter: RegistryPresenter,
    private readonly revision: RegistryRevisionStore,
    private readonly modelRecords: ModelsStore,
    private readonly componentRecords: ComponentsStore,
    private readonly relationshipRecords: RelationshipsStore,
  ) {}

  models(query: RegistryListQuery, scope: RegistryScope): Promise<RegistryList> {
    return this.list(query, scope, {
      plural: 'models',
      page: () => this.registry.modelPage(query, scope),
      all: () => this.modelRecords.all(query, scope),
      show: (models) => this.presenter.models(models),
    });
  }

  components(query: RegistryListQuery, scope: RegistryScope): Promise<RegistryList> {
    return this.list(query, scope, {
      plural: 'components',
      page: () => this.registry.componentPage(query, scope),
      all: () => this.componentRecords.all(query, scope),
      admit: (components) => (query.trim === 'true' ? Promise.resolve() : this.presenter.admitSchemas(components)),
      show: (components) => this.presenter.components(components, query.trim === 'true'),
    });
  }

  relationships(query: RegistryListQuery, scope: RegistryScope): Promise<RegistryList> {
    return this.list(query, scope, {
      plural: 'relationships',
      page: () => this.registry.relationshipPage(query, scope),
      all: () => this.relationshipRecords.all(query, scope),
      show: (relationships) => this.presenter.relationships(relationships),
    });
  }

  private async list<E>(
    query: RegistryListQuery,
    scope: RegistryScope,
    { plural, page, all, admit, show }: Source<E>,
  ): Promise<RegistryList> {
    if (!asksForAll(query)) {
      const found = await page();
      await admit?.(found.items);
      return registryEnvelope({ ...found, items: await show(found.items) }, plural);
    }
    await this.registry.mustExist(scope);
    const rest = (total: number) => countIn(plural, total);
    return new StreamedList({ plural, revision: await this.revision.current(), batches: shown(all(), show), rest });
  }
}

/** Where a path names a single thing: its record, of the highest version that the list holds, and beside it the list. */
export function withTheOne(list: RegistryList, plural: 'models' | 'components'): RegistryList {
  if (list instanceof StreamedList) return list;
  return { ...highest((list as unknown as Record<string, Shown[]>)[plural] ?? []), ...list };
}

async function* shown<E>(
  batches: AsyncIterable<E[]>,
  show: (entities: E[]) => Promise<object[]>,
): AsyncGenerator<object[]> {
  for await (const batch of batches) yield await show(batch);
}

export const registryEnvelope = (page: Page<object>, plural: string): Envelope => ({
  ...envelope(page, plural, (view) => view),
  ...countIn(plural, page.total),
});

/** Lists of models say how many there are under `count` too. */
const countIn = (plural: string, count: number): object => (plural === 'models' ? { count } : {});

/** Of several versions of one thing, the one that counts when a single one is meant. */
function highest(views: Shown[]): Shown | undefined {
  const order = ({ model, version }: Shown) => versionOrder(model?.version ?? version ?? '');
  return views.reduce<Shown | undefined>((best, each) => (best && order(best) >= order(each) ? best : each), undefined);
}
