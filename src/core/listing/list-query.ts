import { applyDecorators } from '@nestjs/common';
import { ArgsType, Field, ID, Int } from '@nestjs/graphql';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, IsUUID, MaxLength } from 'class-validator';
import { InvalidRequest } from '../errors/app-error.js';
import { checkAll } from '../errors/check-all.js';
import { OneLine } from '../schema/one-line-text.js';
import type { Page } from './page.js';

export const MAX_PAGE_SIZE = 500;
/** Records that `pagesize=all` returns at most; more are read with a cursor. */
const MAX_WHOLE_LIST = 10_000;
/** The greatest number of 15 digits, which every parameter takes. */
const MAX_INTEGER = 999_999_999_999_999;

/** Maximum lengths of query parameters. */
const MAX_LENGTHS = { search: 500, order: 100, filter: 4_000, cursor: 4_000, words: 500 };

/** A text parameter that is given at most once, with a maximum length. */
export const QueryText = (kind: keyof typeof MAX_LENGTHS) =>
  applyDecorators(
    ...(kind === 'search' ? [OneLine()] : []),
    IsOptional(),
    IsString({ message: 'must be given once' }),
    MaxLength(MAX_LENGTHS[kind], { message: `must have at most ${MAX_LENGTHS[kind]} characters` }),
  );

/** The page size, `preset` by default. */
export const PageSize = (preset: number): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      oneOf: [
        { type: 'integer', minimum: 1 },
        { type: 'string', enum: ['all'] },
      ],
      default: preset,
      description: `Records per page, at most ${MAX_PAGE_SIZE}: more counts as ${MAX_PAGE_SIZE}. \`all\` returns up to ${MAX_WHOLE_LIST} records.`,
    }),
    IsOptional(),
  );

/** The query parameters of every list. All arrive as text; `parsePage` parses `page` and `pagesize`. */
export class ListQuery {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: MAX_INTEGER,
    default: 0,
    description: 'Page, counted from 0.',
  })
  @IsOptional()
  page?: string;

  @PageSize(20)
  pagesize?: string;

  @ApiPropertyOptional({ description: 'Case-insensitive part of the name.' })
  @QueryText('search')
  search?: string;

  @ApiPropertyOptional({ description: 'A column, optionally followed by " asc" or " desc".' })
  @QueryText('order')
  order?: string;

  @ApiPropertyOptional({ description: 'A JSON object of conditions.' })
  @QueryText('filter')
  filter?: string;

  @ApiPropertyOptional({
    description: 'Empty for the first page of a keyset listing, then the next_cursor of the last response.',
  })
  @QueryText('cursor')
  cursor?: string;
}

/** The query parameters of a short list, whose default page size is the maximum. */
export class ShortListQuery extends ListQuery {
  @PageSize(MAX_PAGE_SIZE)
  override pagesize?: string = undefined;
}

/** The query parameters of a list that belongs to an organization. */
export class OrganizationListQuery extends ListQuery {
  @ApiPropertyOptional({
    name: 'orgID',
    format: 'uuid',
    description: 'The organization; needed by members of several.',
  })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  organization_id?: string;
}

/** The query parameter of a single record that belongs to an organization. */
export class OrganizationQuery {
  @ApiPropertyOptional({
    name: 'orgID',
    format: 'uuid',
    description: 'The organization that the record must belong to; otherwise the response is 404.',
  })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  organization_id?: string;

  /** Returns the record when it belongs to the requested organization or none is requested; otherwise null. */
  keepIfInOrganization<T extends { organizationId: string }>(record: T | null): T | null {
    return this.organization_id === undefined || this.organization_id.toLowerCase() === record?.organizationId
      ? record
      : null;
  }
}

/** The GraphQL arguments of a list. */
@ArgsType()
export class PageArgs {
  @Field(() => Int, { nullable: true, description: 'The page, counted from 0.' })
  @IsOptional()
  page?: number;

  @Field(() => Int, { nullable: true, description: 'Records per page.' })
  @IsOptional()
  pagesize?: number;

  @Field(() => String, { nullable: true, description: 'A case-insensitive part of the name.' })
  @QueryText('search')
  search?: string;

  @Field(() => String, { nullable: true, description: 'A column, optionally followed by " asc" or " desc".' })
  @QueryText('order')
  order?: string;

  @Field(() => String, { nullable: true, description: 'A JSON object of conditions.' })
  @QueryText('filter')
  filter?: string;

  @Field(() => String, {
    nullable: true,
    description:
      'Empty for the first page of a keyset listing, then the next_cursor of the last response; in place of page.',
  })
  @QueryText('cursor')
  cursor?: string;

  /** Converts the arguments to the REST query. */
  toListQuery(): ListQuery {
    const { page, pagesize, search, order, filter, cursor } = this;
    return Object.assign(new ListQuery(), {
      page: page?.toString(),
      pagesize: pagesize?.toString(),
      search: search ?? undefined,
      order: order ?? undefined,
      filter: filter ?? undefined,
      cursor: cursor ?? undefined,
    });
  }
}

/** The GraphQL arguments of a list that belongs to an organization. */
@ArgsType()
export class ListArgs extends PageArgs {
  @Field(() => ID, { nullable: true, description: 'The organization; needed by members of several.' })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  orgID?: string;

  override toListQuery(): OrganizationListQuery {
    return Object.assign(new OrganizationListQuery(), super.toListQuery(), {
      organization_id: this.orgID ?? undefined,
    });
  }
}

/** Reports whether the query requests all records (`pagesize=all`). */
export const requestsAll = ({ pagesize }: ListQuery): boolean => pagesize?.toLowerCase() === 'all';

/** The requested page: `page` from 0, `size` from 1 to 500; or the whole list. */
export interface PageRequest {
  page: number;
  size: number;
  isWhole: boolean;
}

/** @throws InvalidRequest when page or pagesize is not a number in its range */
export function parsePage(query: ListQuery, defaultSize: number): PageRequest {
  const isWhole = requestsAll(query);
  const [page, size] = checkAll(
    () => parseInteger('page', query.page, 0, 0, Number.MAX_SAFE_INTEGER),
    () =>
      isWhole ? MAX_WHOLE_LIST : parseInteger('pagesize', query.pagesize, defaultSize, 1, Number.MAX_SAFE_INTEGER),
  );
  if (isWhole && (page > 0 || query.cursor !== undefined))
    throw InvalidRequest.forField('pagesize', 'is all, beside a page', 'Leave out page and cursor, or send a number.');
  return { page, size: isWhole ? size : Math.min(size, MAX_PAGE_SIZE), isWhole };
}

/** The whole list as one page. @throws InvalidRequest for a list that is too long */
export function toWholeList<T>(page: Page<T>): Page<T> {
  if (page.total > MAX_WHOLE_LIST)
    throw InvalidRequest.forField(
      'pagesize',
      `cannot be all: the list has ${page.total} records, more than ${MAX_WHOLE_LIST}`,
      'Read it in pages: send cursor= (empty) first, then the next_cursor of each response.',
    );
  return { ...page, size: page.total };
}

/** Parses an integer parameter. @throws InvalidRequest naming the parameter and its range */
export function parseInteger(name: string, text: string | undefined, preset: number, min: number, max: number): number {
  if (text === undefined || text === '') return preset;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
  if (value >= min && value <= max) return value;
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  throw InvalidRequest.forField(name, `must be a whole number ${range}`);
}
