import { PUBLISHED_MEMBERS } from '../../catalog/catalog-data.js';
import { ObjectType } from '@nestjs/graphql';
import { CONTENTS_WEIGHT } from '../../core/graphql/limits/query-size.js';
import { IdField, MapField, TextField, TimeField } from '../../core/schema/view-fields.js';

/** A published design, in the form that older clients query. */
@ObjectType('CatalogPattern', { description: 'A published design.' })
export class CatalogPattern {
  @IdField()
  id!: string;

  @TextField()
  name!: string;

  @IdField()
  user_id!: string;

  @TextField({ nullable: true, weight: CONTENTS_WEIGHT })
  pattern_file!: string;

  @TextField({ nullable: true })
  visibility!: string;

  @MapField({ members: PUBLISHED_MEMBERS, nullable: true })
  catalog_data!: Record<string, unknown>;

  @TimeField({ nullable: true })
  created_at!: Date;

  @TimeField({ nullable: true })
  updated_at!: Date;
}
