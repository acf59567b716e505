import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { type PageEnvelope, toPageEnvelope, type Page } from '../core/listing/page.js';
import type { RecordView } from '../core/schema/record.view.js';
import type { Filter } from './filter.entity.js';
import { CatalogFilterView, FilterView, type FilterContent } from './filter.view.js';
import { FilterContentsService } from './filter-contents.service.js';
import type { FilterWriteResult } from './filter-creation.service.js';

type ViewOf<V extends RecordView> = (filter: Filter, opened: FilterContent) => V;

/** Creates views of filters, with their content on request. */
@Injectable()
export class FilterPresenter {
  constructor(private readonly contents: FilterContentsService) {}

  async toPage(page: Page<Filter>, populate?: string): Promise<PageEnvelope> {
    return this.toEnvelope(page, await this.toViews(page, FilterView.fromEntity, populate));
  }

  async toCatalogPage(page: Page<Filter>, populate?: string): Promise<PageEnvelope> {
    return this.toEnvelope(page, await this.toViews(page, CatalogFilterView.fromEntity, populate));
  }

  /** A page for GraphQL: field resolvers read the contents. */
  toPageWithoutContents(page: Page<Filter>): PageEnvelope {
    return this.toEnvelope(
      page,
      page.items.map((filter) => FilterView.fromEntity(filter, { resource: '' })),
    );
  }

  /** As toPageWithoutContents, for the catalog. */
  toCatalogEntriesWithoutContents(page: Page<Filter>): CatalogFilterView[] {
    return page.items.map((filter) => CatalogFilterView.fromEntity(filter, { resource: '' }));
  }

  /** A filter without its module. */
  async toViewWithoutModule(filter: Filter): Promise<FilterView> {
    return FilterView.fromEntity(filter, { resource: await this.contents.readConfiguration(filter) });
  }

  /** A filter with its module, unless the module is too large for a JSON body. */
  async toView(filter: Filter): Promise<FilterView> {
    const [resource, file] = [
      await this.contents.readConfiguration(filter),
      await this.contents.readModuleBase64(filter),
    ];
    return FilterView.fromEntity(filter, { resource, file });
  }

  /** Sets the status: 201 for a created filter, 200 for one that was only validated. */
  toWriteResponse({ filter, bytes, resource, saved }: FilterWriteResult, response: Response): FilterView {
    const view = FilterView.fromEntity(filter, { resource, file: this.contents.toInlineBase64(bytes) });
    if (saved) return view;
    response.status(200);
    return Object.assign(view, { id: null, created_at: null, updated_at: null });
  }

  private async toViews<V extends RecordView>(page: Page<Filter>, viewOf: ViewOf<V>, populate = ''): Promise<V[]> {
    const wanted = populate.split(',').includes('filter_file');
    const files = wanted ? await this.contents.readModulesBase64(page.items) : undefined;
    const resources = await this.contents.readConfigurations(page.items.map(({ id }) => id));
    return page.items.map((filter) =>
      viewOf(filter, { resource: resources.get(filter.id) ?? '', file: files?.get(filter.id) }),
    );
  }

  private toEnvelope(page: Page<Filter>, items: RecordView[]): PageEnvelope {
    return toPageEnvelope({ ...page, items }, 'filters', (view) => view);
  }
}
