import { Field, InputType } from '@nestjs/graphql';
import { ArrayMaxSize, IsOptional, IsString } from 'class-validator';
import { InvalidRequest } from '../errors/app-error.js';
import { ListQuery, QueryText } from './list-query.js';

/** Additional filters of lists of records with a visibility. */
interface AdditionalFilters {
  visibility?: string | string[];
  from?: string;
  to?: string;
  updated_after?: string;
}

/** Responses repeat the page as a GraphQL Int. */
const MAX_INT = 2 ** 31 - 1;

/** The paging input of older GraphQL queries, in which numbers are strings. */
@InputType({ description: 'Which records, in which order, and which page of them.' })
export class PageFilter {
  @Field(() => String, { description: 'The page, counted from 0.' })
  @IsString()
  page!: string;

  @Field(() => String, { description: 'Records per page.' })
  @IsString()
  pageSize!: string;

  @Field(() => String, { nullable: true, description: 'A column, optionally followed by " asc" or " desc".' })
  @QueryText('order')
  order?: string | null;

  @Field(() => String, { nullable: true, description: 'A case-insensitive part of the name.' })
  @QueryText('search')
  search?: string | null;

  @Field(() => String, { nullable: true, description: 'Created at or after this time.' })
  @QueryText('words')
  from?: string | null;

  @Field(() => String, { nullable: true, description: 'Created before this time.' })
  @QueryText('words')
  to?: string | null;

  @Field(() => String, { nullable: true, description: 'Changed after this time.' })
  @QueryText('words')
  updated_after?: string | null;

  @Field(() => [String], { nullable: true, description: 'Only of these visibilities.' })
  @IsOptional()
  @ArrayMaxSize(10, { message: 'must have at most 10 words' })
  visibility?: string[] | null;

  @Field(() => String, { nullable: true, description: 'Ignored; older clients send it.' })
  @QueryText('words')
  metrics?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Empty for the first page of a keyset listing, then the next_cursor of the last response; page is ignored then.',
  })
  @QueryText('cursor')
  cursor?: string | null;

  /** Applies the input to a REST query. */
  applyTo<Q extends ListQuery>(query: Q): Q {
    const { pageSize, order, search } = this;
    const cursor = this.cursor ?? undefined;
    const page = cursor === undefined ? this.page : undefined;
    if (Number(page) > MAX_INT) throw InvalidRequest.forField('/selector/page', `must be at most ${MAX_INT}`);
    return Object.assign(query, {
      page,
      pagesize: pageSize,
      order: order ?? undefined,
      search: search ?? undefined,
      cursor,
    });
  }

  /** Like `applyTo`, for lists that also filter by visibility and time. */
  applyWithFiltersTo<Q extends ListQuery & AdditionalFilters>(query: Q): Q {
    const { visibility, from, to, updated_after } = this;
    return Object.assign(this.applyTo(query), {
      visibility: visibility ?? undefined,
      from: from ?? undefined,
      to: to ?? undefined,
      updated_after: updated_after ?? undefined,
    });
  }
}
