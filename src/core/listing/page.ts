import type { Type } from '@nestjs/common';
import { ObjectType } from '@nestjs/graphql';
import { IntField, RecordsField, TextField } from '../schema/view-fields.js';

/** One page of records. `next` is the cursor of the next page: null at the end, undefined without a cursor in the request. */
export interface Page<T> {
  page: number;
  size: number;
  total: number;
  items: T[];
  next?: string | null;
}

/** Wraps a short list as its only page. */
export const singlePage = <T>(items: T[]): Page<T> => ({ page: 0, size: items.length, total: items.length, items });

/** The envelope of lists: `page, page_size, total_count` and the records under their plural name. */
export interface PageEnvelope {
  page: number;
  page_size: number;
  total_count: number;
  next_cursor?: string | null;
}

/** Creates the envelope of a page, with the records under `plural`. */
export function toPageEnvelope<T, V>(page: Page<T>, plural: string, view: (record: T) => V): PageEnvelope {
  return {
    page: page.page,
    page_size: page.size,
    total_count: page.total,
    [plural]: page.items.map(view),
    ...(page.next === undefined ? {} : { next_cursor: page.next }),
  };
}

/** Creates the envelope class for one kind of record, for both APIs. */
export function PaginatedView<V extends object>(view: Type<V>, plural: string, name: string): Type<PageEnvelope> {
  @ObjectType(name, { description: 'One page of a list.' })
  class PageView implements PageEnvelope {
    @IntField({ description: 'Page, counted from 0.' })
    page!: number;

    @IntField({ description: 'Records per page, as asked for.' })
    page_size!: number;

    @IntField({ description: 'Records in all.' })
    total_count!: number;

    @TextField({
      nullable: true,
      optional: true,
      description: 'Present when the request has a cursor; null on the last page.',
    })
    next_cursor?: string | null;
  }
  RecordsField(() => view, { description: 'The records of this page.' })(PageView.prototype, plural);
  Object.defineProperty(PageView, 'name', { value: name });
  return PageView;
}
