import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { InvalidRequest } from '../core/errors/app-error.js';
import { parseWords } from '../core/listing/words.js';
import { CATALOG_TYPES, CONTENT_CLASSES, matchWord } from './catalog-data.js';
import type { CatalogQuery } from './catalog.inputs.js';

/**
 * Filters a list of catalog entries, whose table has `catalog_data` (jsonb) and `technologies` (text[]).
 * @throws InvalidRequest naming the allowed values
 */
export function applyCatalogFilters(rows: SelectQueryBuilder<ObjectLiteral>, alias: string, query: CatalogQuery): void {
  const classes = parseInAnyCase('class', query.class, CONTENT_CLASSES);
  if (classes) rows.andWhere(`${alias}.catalog_data->>'content_class' = ANY(:classes)`, { classes });
  const types = parseInAnyCase('type', query.type, CATALOG_TYPES);
  if (types) rows.andWhere(`${alias}.catalog_data->>'type' = ANY(:types)`, { types });
  const technologies = parseWords('technology', query.technology)?.map((each) => each.toLowerCase());
  if (technologies) rows.andWhere(`${alias}.technologies && :technologies::text[]`, { technologies });
}

function parseInAnyCase(
  name: string,
  given: string | string[] | undefined,
  words: readonly string[],
): string[] | undefined {
  return parseWords(name, given)?.map((each) => {
    const word = matchWord(each, words);
    if (word !== undefined) return word;
    throw InvalidRequest.forField(name, `must be some of ${words.join(', ')}`);
  });
}
