import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { type Envelope, envelope, type Page } from '../core/listing/page.js';
import type { RecordView } from '../core/schema/record.view.js';
import type { Filter } from './filter.entity.js';
import { CatalogFilterView, FilterView, type OpenedFilter } from './filter.view.js';
import { FilterContents } from './filter-contents.js';
import type { WrittenFilter } from './filter-writer.service.js';

type ViewOf<V extends RecordView> = (filter: Filter, opened: OpenedFilter) => V;

/** Shows filters with as much of their content as was asked for. */
@Injectable()
export class FilterPresenter {
  constructor(private readonly contents: FilterContents) {}

  async page(page: Page<Filter>, populate?: string): Promise<Envelope> {
    return this.envelope(page, await this.views(page, FilterView.of, populate));
  }

  async catalog(page: Page<Filter>, populate?: string): Promise<Envelope> {
    return this.envelope(page, await this.views(page, CatalogFilterView.of, populate));
  }

  /** A page as GraphQL has it: the fields of contents read what they show. */
  plainPage(page: Page<Filter>): Envelope {
    return this.envelope(
      page,
      page.items.map((filter) => FilterView.of(filter, { resource: '' })),
    );
  }

  /** The same of the catalog. */
  plainEntries(page: Page<Filter>): CatalogFilterView[] {
    return page.items.map((filter) => CatalogFilterView.of(filter, { resource: '' }));
  }

  /** The record without the module. */
  async plain(filter: Filter): Promise<FilterView> {
    return FilterView.of(filter, { resource: await this.contents.readResource(filter) });
  }

  /** One filter comes with its module, unless that is for downloads only. */
  async whole(filter: Filter): Promise<FilterView> {
    const [resource, file] = [await this.contents.readResource(filter), await this.contents.readFile(filter)];
    return FilterView.of(filter, { resource, file });
  }

  /** 201 for what was made, 200 for what was only judged. */
  written({ filter, bytes, resource, saved }: WrittenFilter, response: Response): FilterView {
    const view = FilterView.of(filter, { resource, file: this.contents.inline(bytes) });
    if (saved) return view;
    response.status(200);
    return Object.assign(view, { id: null, created_at: null, updated_at: null });
  }

  private async views<V extends RecordView>(page: Page<Filter>, viewOf: ViewOf<V>, populate = ''): Promise<V[]> {
    const wanted = populate.split(',').includes('filter_file');
    const files = wanted ? await this.contents.files(page.items) : undefined;
    const resources = await this.contents.resources(page.items.map(({ id }) => id));
    return page.items.map((filter) =>
      viewOf(filter, { resource: resources.get(filter.id) ?? '', file: files?.get(filter.id) }),
    );
  }

  private envelope(page: Page<Filter>, items: RecordView[]): Envelope {
    return envelope({ ...page, items }, 'filters', (view) => view);
  }
}
