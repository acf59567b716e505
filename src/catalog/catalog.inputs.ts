import { Field, InputType } from '@nestjs/graphql';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { InvalidRequest } from '../core/errors/app-error.js';
import { ListQuery } from '../core/listing/list-query.js';
import { IdInput, MapInput } from '../core/schema/input-fields.js';
import { unsound } from '../core/schema/sound.js';
import { catalogTypes, contentClasses } from './catalog-data.js';

export class PublishInput {
  @IdInput()
  id!: string;

  @MapInput({
    description: `content_class (${contentClasses.join(', ')}), type (${catalogTypes.join(', ')}), and more.`,
  })
  catalog_data!: Record<string, unknown>;
}

/** The body of a DELETE, which proxies lose: every field may also be sent as a query parameter. */
export class UnpublishInput {
  @IdInput({ optional: true })
  id?: string;

  /** @throws InvalidRequest when neither has it */
  static idOf(body: UnpublishInput, query: UnpublishInput): string {
    const id = body.id ?? query.id;
    if (id) return id;
    throw InvalidRequest.at('/id', 'is required', 'Send the id in the body, or as a query parameter.');
  }
}

/** What a catalog may be narrowed by; several words are separated by commas, or the parameter is repeated. */
export class CatalogQuery extends ListQuery {
  @ApiPropertyOptional({ description: `Some of ${contentClasses.join(', ')}.` })
  @IsOptional()
  class?: string | string[];

  @ApiPropertyOptional({ description: `Some of ${catalogTypes.join(', ')}.` })
  @IsOptional()
  type?: string | string[];

  @ApiPropertyOptional({ description: 'Names of fields of content to be filled in, such as pattern_file.' })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  populate?: string;

  @ApiPropertyOptional({ description: 'Names of technologies.' })
  @IsOptional()
  technology?: string | string[];
}

/** The same for GraphQL, where numbers are text. */
@InputType()
export class CatalogSelector {
  @Field(() => String)
  @IsString()
  page!: string;

  @Field(() => String)
  @IsString()
  pagesize!: string;

  @Field(() => String)
  @IsString()
  search!: string;

  @Field(() => String)
  @IsString()
  order!: string;

  @Field(() => String, { nullable: true })
  @IsOptional()
  metrics?: string | null;

  @Field(() => [String], { nullable: true })
  @IsOptional()
  class?: string[] | null;

  @Field(() => [String], { nullable: true })
  @IsOptional()
  technology?: string[] | null;

  @Field(() => [String], { nullable: true })
  @IsOptional()
  patternType?: string[] | null;

  /** The query that REST would have made of it; of everything when there is no selector. */
  static queryOf(selector: CatalogSelector | null): CatalogQuery {
    if (!selector) return new CatalogQuery();
    // As it may be missing, no pipe has looked at it.
    const errors = Object.entries(selector).flatMap(([name, value]) => unsound(value, `/selector/${name}`));
    if (errors.length > 0) throw new InvalidRequest('selector holds text that cannot be kept', { errors });
    const { page, pagesize, search, order, technology, patternType } = selector;
    return Object.assign(new CatalogQuery(), {
      page,
      pagesize,
      search,
      order,
      class: selector.class ?? undefined,
      type: patternType ?? undefined,
      technology: technology ?? undefined,
    });
  }
}
