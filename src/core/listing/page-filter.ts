import { Field, InputType } from '@nestjs/graphql';
import { ArrayMaxSize, IsOptional, IsString } from 'class-validator';
import { InvalidRequest } from '../errors/app-error.js';
import { ListQuery, QueryText } from './list-query.js';

/** What lists of placed records are narrowed by beside the query that every list has. */
interface AdditionalFilters {
  visibility?: string | string[];
  from?: string;
  to?: string;
  updated_after?: string;
}

/** The answer repeats the page, as an Int. */
const MAX_INT = 2 ** 31 - 1;

/** The paging of older GraphQL queries, in which numbers are text. */
@InputType()
export class PageFilter {
  @Field(() => String)
  @IsString()
  page!: string;

  @Field(() => String)
  @IsString()
  pageSize!: string;

  @Field(() => String, { nullable: true })
  @QueryText('order')
  order?: string | null;

  @Field(() => String, { nullable: true })
  @QueryText('search')
  search?: string | null;

  @Field(() => String, { nullable: true, description: 'Created at or after this time.' })
  @QueryText('words')
  from?: string | null;

  @Field(() => String, { nullable: true, description: 'Created before this time.' })
  @QueryText('words')
  to?: string | null;

  @Field(() => String, { nullable: true })
  @QueryText('words')
  updated_after?: string | null;

  @Field(() => [String], { nullable: true })
  @IsOptional()
  @ArrayMaxSize(10, { message: 'must have at most 10 words' })
  visibility?: string[] | null;

  @Field(() => String, { nullable: true })
  @QueryText('words')
  metrics?: string | null;

  /** The query that REST would have made of it. */
  applyTo<Q extends ListQuery>(query: Q): Q {
    const { page, pageSize, order, search } = this;
    if (Number(page) > MAX_INT) throw InvalidRequest.forField('/selector/page', `must be at most ${MAX_INT}`);
    return Object.assign(query, {
      page,
      pagesize: pageSize,
      order: order ?? undefined,
      search: search ?? undefined,
    });
  }

  /** The same for a list that is also narrowed by visibility and times. */
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
