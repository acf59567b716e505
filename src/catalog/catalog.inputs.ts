import { patternOfWords } from '../core/listing/words.js';
import { EXAMPLE_ID, InputForms } from '../core/schema/field-examples.js';
import { applyDecorators } from '@nestjs/common';
import { Field, InputType } from '@nestjs/graphql';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsOptional, IsString, MaxLength, validateSync, type ValidationError } from 'class-validator';
import { type Fault, InvalidRequest } from '../core/errors/app-error.js';
import { ListQuery, PageSize, QueryText } from '../core/listing/list-query.js';
import { IdInput, MetadataInput } from '../core/schema/input-fields.js';
import { Repeatable } from '../core/schema/repeatable.js';
import { findUnstorableParts } from '../core/json/storable-json.js';
import { CATALOG_MEMBERS, CATALOG_TYPES, CONTENT_CLASSES } from './catalog-data.js';

@InputForms({ example: { catalog_data: { content_class: 'community', type: 'Deployment' } } })
export class PublishInput {
  @IdInput()
  id!: string;

  @MetadataInput({
    description: 'What readers of the catalog learn of it. Other members are kept.',
    members: CATALOG_MEMBERS,
    required: ['content_class', 'type'],
    values: {},
  })
  catalog_data!: Record<string, unknown>;
}

/** The body of a DELETE. Some proxies drop such bodies, so every field may also be a query parameter. */
@InputForms({ example: { id: EXAMPLE_ID } })
export class UnpublishInput {
  @IdInput({ optional: true, description: 'The record to unpublish.' })
  id?: string;

  /** @throws InvalidRequest when neither has the id */
  static resolveId(body: UnpublishInput, query: UnpublishInput): string {
    const id = body.id ?? query.id;
    if (id) return id;
    throw InvalidRequest.forField('/id', 'is required', 'Send the id in the body, or as a query parameter.');
  }
}

/** A list parameter, separated by commas or repeated. */
const WordsParameter = () =>
  applyDecorators(
    IsOptional(),
    ArrayMaxSize(50, { message: 'must have at most 50 words' }),
    MaxLength(500, { each: true, message: 'must have words of at most 500 characters' }),
  );

/** The filters of a catalog; several values are separated by commas, or the parameter is repeated. */
export class CatalogQuery extends ListQuery {
  @PageSize(10)
  override pagesize?: string = undefined;

  @ApiPropertyOptional({
    type: String,
    pattern: patternOfWords(CONTENT_CLASSES),
    description: `Some of ${CONTENT_CLASSES.join(', ')}.`,
  })
  @IsOptional()
  @Repeatable()
  class?: string | string[];

  @ApiPropertyOptional({
    type: String,
    pattern: patternOfWords(CATALOG_TYPES),
    description: `Some of ${CATALOG_TYPES.join(', ')}.`,
  })
  @IsOptional()
  @Repeatable()
  type?: string | string[];

  @ApiPropertyOptional({ type: String, description: 'Names of technologies, with commas.' })
  @IsOptional()
  @Repeatable()
  technology?: string | string[];
}

/** CatalogQuery for GraphQL, where page numbers are text. */
@InputType({ description: 'Which records, in which order, and which page of them.' })
export class CatalogSelector {
  @Field(() => String, { description: 'The page, counted from 0.' })
  @IsString()
  page!: string;

  @Field(() => String, { description: 'Records per page.' })
  @IsString()
  pagesize!: string;

  @Field(() => String, { description: 'A case-insensitive part of the name.' })
  @QueryText('search')
  search!: string;

  @Field(() => String, { description: 'A column, optionally followed by " asc" or " desc".' })
  @QueryText('order')
  order!: string;

  @Field(() => String, { nullable: true, description: 'Ignored; older clients send it.' })
  @QueryText('words')
  metrics?: string | null;

  @Field(() => [String], { nullable: 'itemsAndList', description: 'Classes of content.' })
  @WordsParameter()
  class?: (string | null)[] | null;

  @Field(() => [String], { nullable: 'itemsAndList', description: 'Names of technologies.' })
  @WordsParameter()
  technology?: (string | null)[] | null;

  @Field(() => [String], { nullable: 'itemsAndList', description: 'Types of the catalog.' })
  @WordsParameter()
  patternType?: (string | null)[] | null;

  /** Converts a selector to the query of REST; without a selector, to a query without filters. */
  static toQuery(selector: CatalogSelector | null): CatalogQuery {
    if (!selector) return new CatalogQuery();
    const words = {
      class: withoutNulls(selector.class),
      technology: withoutNulls(selector.technology),
      patternType: withoutNulls(selector.patternType),
    };
    // No pipe validates a nullable argument.
    const errors = [
      ...validateSync(Object.assign(new CatalogSelector(), selector, words), { stopAtFirstError: true }).flatMap(
        toFaults,
      ),
      ...Object.entries(selector).flatMap(([name, value]) => findUnstorableParts(value, `/selector/${name}`)),
    ];
    if (errors.length > 0) {
      const detail = errors.map(({ pointer = '', detail: each }) => `${pointer.slice(1)} ${each}`).join('; ');
      throw new InvalidRequest(detail, { errors });
    }
    const { page, pagesize, search, order } = selector;
    return Object.assign(new CatalogQuery(), {
      page,
      pagesize,
      search,
      order,
      class: words.class,
      type: words.patternType,
      technology: words.technology,
    });
  }
}

const withoutNulls = (words: (string | null)[] | null | undefined): string[] | undefined =>
  words?.filter((word) => word !== null);

const toFaults = ({ property, constraints = {} }: ValidationError): Fault[] =>
  Object.values(constraints).map((detail) => ({ pointer: `/selector/${property}`, detail }));
