import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { InvalidRequest } from '../core/errors/app-error.js';
import { catalogTypes, contentClasses, wordOf } from './catalog-data.js';
import type { CatalogQuery } from './catalog.inputs.js';

/**
 * Narrows a list of catalog entries, whose table has `catalog_data` (jsonb) and `technologies` (text[]).
 * @throws InvalidRequest naming the words there are
 */
export function narrowCatalog(rows: SelectQueryBuilder<ObjectLiteral>, alias: string, query: CatalogQuery): void {
  const classes = wordsOf('class', query.class, contentClasses);
  if (classes) rows.andWhere(`${alias}.catalog_data->>'content_class' = ANY(:classes)`, { classes });
  const types = wordsOf('type', query.type, catalogTypes);
  if (types) rows.andWhere(`${alias}.catalog_data->>'type' = ANY(:types)`, { types });
  const technologies = partsOf('technology', query.technology)?.map((each) => each.toLowerCase());
  if (technologies) rows.andWhere(`${alias}.technologies && :technologies::text[]`, { technologies });
}

function wordsOf(name: string, given: string | string[] | undefined, words: readonly string[]): string[] | undefined {
  return partsOf(name, given)?.map((each) => {
    const word = wordOf(each, words);
    if (word !== undefined) return word;
    throw InvalidRequest.at(name, `must be some of ${words.join(', ')}`);
  });
}

/** Of a parameter that is repeated, or has several words between commas; none when it is empty. */
function partsOf(name: string, given: string | string[] | undefined): string[] | undefined {
  const texts: unknown[] = [given ?? []].flat();
  if (!texts.every((each) => typeof each === 'string')) throw InvalidRequest.at(name, 'must be text');
  const parts = texts.flatMap((text) => text.split(',')).map((part) => part.trim()).filter(Boolean); // prettier-ignore
  return parts.length > 0 ? parts : undefined;
}
