import { Injectable } from '@nestjs/common';
import { requestsAll } from '../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope, type Page } from '../core/listing/page.js';
import { RevisedJson } from '../core/rest/revised-response.js';
import { StreamedList } from '../core/rest/streamed-list.js';
import { ComponentsStore } from './components/components.store.js';
import { toVersionOrder } from './models/version-order.js';
import { ModelsStore } from './models/models.store.js';
import type { RegistryListQuery, RegistryScope } from './entities/registry-list.query.js';
import { RegistryPresenter } from './registry.presenter.js';
import { RegistryRevisionStore } from './entities/registry-revision.store.js';
import { RegistryService } from './registry.service.js';
import { RelationshipsStore } from './relationships/relationships.store.js';

/** A view that contains its version of a model. */
type VersionedView = object & { version?: string; model?: { version: string } };

/** One of the three kinds of lists: how its pages and batches are found and shown. */
interface ListSource<E> {
  plural: string;
  page: () => Promise<Page<E>>;
  all: () => AsyncIterable<E[]>;
  /** Checks whether the entities of a page fit into one answer. */
  admit?: (entities: E[]) => Promise<void>;
  show: (entities: E[]) => Promise<VersionedView[]>;
}

/** A page, or everything as a stream; neither is read for a caller whose ETag is current. */
export type RegistryList = RevisedJson<PageEnvelope> | StreamedList;

/** Counts the changes of the listed content: a new value invalidates all ETags of lists. */
const VIEW_VERSION = 1;

/** Answers requests for registry lists. */
@Injectable()
export class RegistryListsService {
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
      page: () => this.registry.listModels(query, scope),
      all: () => this.modelRecords.readBatches(query, scope),
      show: (models) => this.presenter.toModelViews(models),
    });
  }

  components(query: RegistryListQuery, scope: RegistryScope): Promise<RegistryList> {
    return this.list(query, scope, {
      plural: 'components',
      page: () => this.registry.listComponents(query, scope),
      all: () => this.componentRecords.readBatches(query, scope),
      admit: (components) => (query.trim === 'true' ? Promise.resolve() : this.presenter.assertSchemasFit(components)),
      show: (components) => this.presenter.toComponentViews(components, query.trim === 'true'),
    });
  }

  relationships(query: RegistryListQuery, scope: RegistryScope): Promise<RegistryList> {
    return this.list(query, scope, {
      plural: 'relationships',
      page: () => this.registry.listRelationships(query, scope),
      all: () => this.relationshipRecords.readBatches(query, scope),
      show: (relationships) => this.presenter.toRelationshipViews(relationships),
    });
  }

  private async list<E>(
    query: RegistryListQuery,
    scope: RegistryScope,
    { plural, page, all, admit, show }: ListSource<E>,
  ): Promise<RegistryList> {
    const revision = `${await this.revision.getCurrent()}.${VIEW_VERSION}`;
    if (!requestsAll(query))
      return new RevisedJson(revision, async () => {
        const found = await page();
        await admit?.(found.items);
        return toRegistryEnvelope({ ...found, items: await show(found.items) }, plural);
      });
    await this.registry.assertExists(scope);
    const rest = (total: number) => modelCount(plural, total);
    return new StreamedList({
      plural,
      revision,
      batches: toViewBatches(all(), show),
      rest,
    });
  }
}

/** Where a path names a single entity: its record, of the highest version in the list, next to the list. */
export async function withHighestVersion(
  list: RegistryList,
  plural: 'models' | 'components',
): Promise<PageEnvelope | StreamedList> {
  if (list instanceof StreamedList) return list;
  const page = await list.load();
  return { ...findHighestVersion((Reflect.get(page, plural) as VersionedView[] | undefined) ?? []), ...page };
}

async function* toViewBatches<E>(
  batches: AsyncIterable<E[]>,
  show: (entities: E[]) => Promise<object[]>,
): AsyncGenerator<object[]> {
  for await (const batch of batches) yield await show(batch);
}

export const toRegistryEnvelope = (page: Page<object>, plural: string): PageEnvelope => ({
  ...toPageEnvelope(page, plural, (view) => view),
  ...modelCount(plural, page.total),
});

/** Lists of models contain their number under `count` too. */
const modelCount = (plural: string, count: number): object => (plural === 'models' ? { count } : {});

/** Of several versions of one entity, the one that answers a request for a single one. */
function findHighestVersion(views: VersionedView[]): VersionedView | undefined {
  const order = ({ model, version }: VersionedView) => toVersionOrder(model?.version ?? version ?? '');
  return views.reduce<VersionedView | undefined>(
    (best, each) => (best && order(best) >= order(each) ? best : each),
    undefined,
  );
}
