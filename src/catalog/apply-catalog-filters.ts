import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { InvalidRequest } from '../core/errors/app-error.js';
import { CATALOG_TYPES, CONTENT_CLASSES, matchWord } from './catalog-data.js';
import type { CatalogQuery } from './catalog.inputs.js';

/**
 * Narrows a list of catalog entries, whose table has `catalog_data` (jsonb) and `technologies` (text[]).
 * @throws InvalidRequest naming the words there are
 */
export function applyCatalogFilters(rows: SelectQueryBuilder<ObjectLiteral>, alias: string, query: CatalogQuery): void {
  const classes = parseWords('class', query.class, CONTENT_CLASSES);
  if (classes) rows.andWhere(`${alias}.catalog_data->>'content_class' = ANY(:classes)`, { classes });
  const types = parseWords('type', query.type, CATALOG_TYPES);
  if (types) rows.andWhere(`${alias}.catalog_data->>'type' = ANY(:types)`, { types });
  const technologies = splitParameter('technology', query.technology)?.map((each) => each.toLowerCase());
  if (technologies) rows.andWhere(`${alias}.technologies && :technologies::text[]`, { technologies });
}

function parseWords(
  name: string,
  given: string | string[] | undefined,
  words: readonly string[],
): string[] | undefined {
  return splitParameter(name, given)?.map((each) => {
    const word = matchWord(each, words);
    if (word !== undefined) return word;
    throw InvalidRequest.forField(name, `must be some of ${words.join(', ')}`);
  });
}

/** Of a parameter that is repeated, or has several words between commas; none when it is empty. */
function splitParameter(name: string, given: string | string[] | undefined): string[] | undefined {
  const texts: unknown[] = [given ?? []].flat();
  if (!texts.every((each) => typeof each === 'string')) throw InvalidRequest.forField(name, 'must be text');
  const parts = texts.flatMap((text) => text.split(',')).map((part) => part.trim()).filter(Boolean); // prettier-ignore
  return parts.length > 0 ? parts : undefined;
}
