import { applyDecorators } from '@nestjs/common';
import { Field, InputType } from '@nestjs/graphql';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsOptional, IsString, MaxLength, validateSync, type ValidationError } from 'class-validator';
import { type Fault, InvalidRequest } from '../core/errors/app-error.js';
import { ListQuery, QueryText } from '../core/listing/list-query.js';
import { IdInput, MapInput } from '../core/schema/input-fields.js';
import { Repeatable } from '../core/schema/repeatable.js';
import { findUnstorableParts } from '../core/json/storable-json.js';
import { CATALOG_TYPES, CONTENT_CLASSES } from './catalog-data.js';

export class PublishInput {
  @IdInput()
  id!: string;

  @MapInput({
    description: `content_class (${CONTENT_CLASSES.join(', ')}), type (${CATALOG_TYPES.join(', ')}), and more.`,
  })
  catalog_data!: Record<string, unknown>;
}

/** The body of a DELETE, which proxies lose: every field may also be sent as a query parameter. */
export class UnpublishInput {
  @IdInput({ optional: true })
  id?: string;

  /** @throws InvalidRequest when neither has it */
  static resolveId(body: UnpublishInput, query: UnpublishInput): string {
    const id = body.id ?? query.id;
    if (id) return id;
    throw InvalidRequest.forField('/id', 'is required', 'Send the id in the body, or as a query parameter.');
  }
}

/** Words that a catalog is narrowed by. */
const WordsParameter = () =>
  applyDecorators(
    IsOptional(),
    ArrayMaxSize(50, { message: 'must have at most 50 words' }),
    MaxLength(500, { each: true, message: 'must have words of at most 500 characters' }),
  );

/** What a catalog may be narrowed by; several words are separated by commas, or the parameter is repeated. */
export class CatalogQuery extends ListQuery {
  @ApiPropertyOptional({ description: `Some of ${CONTENT_CLASSES.join(', ')}.` })
  @IsOptional()
  @Repeatable()
  class?: string | string[];

  @ApiPropertyOptional({ description: `Some of ${CATALOG_TYPES.join(', ')}.` })
  @IsOptional()
  @Repeatable()
  type?: string | string[];

  @ApiPropertyOptional({ description: 'Names of fields of content to be filled in, such as pattern_file.' })
  @QueryText('words')
  populate?: string;

  @ApiPropertyOptional({ description: 'Names of technologies.' })
  @IsOptional()
  @Repeatable()
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
  @QueryText('search')
  search!: string;

  @Field(() => String)
  @QueryText('order')
  order!: string;

  @Field(() => String, { nullable: true })
  @QueryText('words')
  metrics?: string | null;

  @Field(() => [String], { nullable: true })
  @WordsParameter()
  class?: string[] | null;

  @Field(() => [String], { nullable: true })
  @WordsParameter()
  technology?: string[] | null;

  @Field(() => [String], { nullable: true })
  @WordsParameter()
  patternType?: string[] | null;

  /** The query that REST would have made of it; of everything when there is no selector. */
  static toQuery(selector: CatalogSelector | null): CatalogQuery {
    if (!selector) return new CatalogQuery();
    // As it may be missing, no pipe has looked at it.
    const errors = [
      ...validateSync(Object.assign(new CatalogSelector(), selector), { stopAtFirstError: true }).flatMap(toFaults),
      ...Object.entries(selector).flatMap(([name, value]) => findUnstorableParts(value, `/selector/${name}`)),
    ];
    if (errors.length > 0) {
      const detail = errors.map(({ pointer = '', detail: each }) => `${pointer.slice(1)} ${each}`).join('; ');
      throw new InvalidRequest(detail, { errors });
    }
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

const toFaults = ({ property, constraints = {} }: ValidationError): Fault[] =>
  Object.values(constraints).map((detail) => ({ pointer: `/selector/${property}`, detail }));
