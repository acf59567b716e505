import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { asksForAll } from '../core/listing/list-query.js';
import { type Page } from '../core/listing/page.js';
import { sendConditional } from '../core/rest/conditional.interceptor.js';
import { streamList } from '../core/rest/streamed-list.js';
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

type Answer = [request: Request, response: Response];

/** One of the three kinds of lists: how its pages and batches are found and shown. */
interface Source<E> {
  plural: string;
  page: () => Promise<Page<E>>;
  all: () => AsyncIterable<E[]>;
  show: (entities: E[]) => Promise<Shown[]>;
}

/** Sends the lists of the registry: a page, or all of it as a stream. */
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

  /** `one`: the path names a single model, whose fields stand beside the list. */
  models(
    query: RegistryListQuery,
    scope: RegistryScope,
    ...[request, response, one]: [...Answer, boolean?]
  ): Promise<void> {
    return this.send(request, response, query, scope, one ?? false, {
      plural: 'models',
      page: () => this.registry.modelPage(query, scope),
      all: () => this.modelRecords.all(query, scope),
      show: (models) => this.presenter.models(models),
    });
  }

  components(
    query: RegistryListQuery,
    scope: RegistryScope,
    ...[request, response, one]: [...Answer, boolean?]
  ): Promise<void> {
    return this.send(request, response, query, scope, one ?? false, {
      plural: 'components',
      page: () => this.registry.componentPage(query, scope),
      all: () => this.componentRecords.all(query, scope),
      show: (components) => this.presenter.components(components, query.trim === 'true'),
    });
  }

  relationships(query: RegistryListQuery, scope: RegistryScope, ...[request, response]: Answer): Promise<void> {
    return this.send(request, response, query, scope, false, {
      plural: 'relationships',
      page: () => this.registry.relationshipPage(query, scope),
      all: () => this.relationshipRecords.all(query, scope),
      show: (relationships) => this.presenter.relationships(relationships),
    });
  }

  private async send<E>(
    request: Request,
    response: Response,
    query: RegistryListQuery,
    scope: RegistryScope,
    one: boolean,
    { plural, page, all, show }: Source<E>,
  ): Promise<void> {
    if (asksForAll(query)) {
      await this.registry.mustExist(scope);
      const rest = (total: number) => (plural === 'models' ? { count: total } : {});
      const revision = await this.revision.current();
      return streamList(request, response, { plural, revision, batches: shown(all(), show), rest });
    }
    const found = await page();
    const views = await show(found.items);
    const shownPage = registryEnvelope({ ...found, items: views }, plural);
    sendConditional(request, response, one ? { ...highest(views), ...shownPage } : shownPage);
  }
}

async function* shown<E>(
  batches: AsyncIterable<E[]>,
  show: (entities: E[]) => Promise<object[]>,
): AsyncGenerator<object[]> {
  for await (const batch of batches) yield await show(batch);
}

/** Lists of models say how many there are under `count` too. */
export function registryEnvelope(page: Page<object>, plural: string): object {
  const { size, total, next } = page;
  return {
    page: page.page,
    page_size: size,
    total_count: total,
    ...(plural === 'models' ? { count: total } : {}),
    [plural]: page.items,
    ...(next === undefined ? {} : { next_cursor: next }),
  };
}

/** Of several versions of one thing, the one that counts when a single one is meant. */
function highest(views: Shown[]): Shown | undefined {
  const order = ({ model, version }: Shown) => versionOrder(model?.version ?? version ?? '');
  return views.reduce<Shown | undefined>((best, each) => (best && order(best) >= order(each) ? best : each), undefined);
}
