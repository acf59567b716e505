import { DefaultNamingStrategy } from 'typeorm';

const toSnakeCase = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();

/** Columns are snake_case in the database and camelCase in the code. */
export class SnakeNamingStrategy extends DefaultNamingStrategy {
  override columnName(property: string, given: string | undefined, prefixes: string[]): string {
    return toSnakeCase([...prefixes, given ?? property].join('_'));
  }

  override joinColumnName(relation: string, referenced: string): string {
    return toSnakeCase(`${relation}_${referenced}`);
  }
}
