import { ObjectType } from '@nestjs/graphql';
import { IntersectionType, PartialType } from '@nestjs/swagger';
import { PaginatedView } from '../../core/listing/page.js';
import { IntField, MapField, RecordField, TextField, TextsField, EnumField } from '../../core/schema/view-fields.js';
import { RecordView } from '../../core/schema/record.view.js';
import type { EntryStatus } from '../entities/entry-status.js';
import { EntryStatusEnum } from '../entities/entry-status.enum.js';
import { RegistrantView } from '../registrants/registrant.view.js';
import type { Registrant } from '../registrants/registrant.entity.js';
import type { Model } from './model.entity.js';
import type { ModelVersions } from './models.store.js';

const SCHEMA_VERSION = 'models.meshery.io/v1beta1';

@ObjectType('Category', { description: 'A category of models.' })
export class CategoryView {
  @TextField()
  name!: string;
}

@ObjectType('ModelVersion', { description: 'A version of a model.' })
export class ModelVersionView {
  @TextField()
  version!: string;
}

@ObjectType('Model', { description: 'A package of components and relationships, in the registry.' })
export class ModelView extends RecordView {
  @TextField()
  schemaVersion!: string;

  @TextField()
  name!: string;

  @TextField()
  displayName!: string;

  @TextField({ nullable: true })
  description!: string;

  @RecordField(() => CategoryView)
  category!: CategoryView;

  @TextField({ nullable: true })
  sub_category!: string;

  @TextField()
  version!: string;

  @TextsField({ description: 'Every enabled version, the highest first.' })
  versions!: string[];

  @IntField({ description: 'How many records of this name the row represents.' })
  duplicates!: number;

  @RecordField(() => ModelVersionView, { description: 'The version (the same as `version`).' })
  model!: ModelVersionView;

  @EnumField(EntryStatusEnum)
  status!: EntryStatus;

  @RecordField(() => RegistrantView)
  registrant!: RegistrantView;

  @MapField({ nullable: true })
  metadata!: Record<string, unknown>;

  @IntField({ description: 'Enabled components.' })
  components_count!: number;

  @IntField({ description: 'Enabled relationships.' })
  relationships_count!: number;

  static fromEntity(model: Model, registrant: Registrant, { versions, duplicates }: ModelVersions): ModelView {
    return RecordView.assignRecord(new ModelView(), model, {
      schemaVersion: SCHEMA_VERSION,
      name: model.name,
      displayName: model.displayName,
      description: model.description,
      category: { name: model.category },
      sub_category: model.subCategory,
      version: model.version,
      versions,
      duplicates,
      model: { version: model.version },
      status: model.status,
      registrant: RegistrantView.fromEntity(registrant),
      metadata: model.metadata,
      components_count: model.componentsCount,
      relationships_count: model.relationshipsCount,
    });
  }
}

/** Lists of models report their number under `count`, as the interface requires, and under `total_count`, as all lists do. */
export const ModelPage = PaginatedView(ModelView, 'models', 'ModelPage');
IntField({ description: 'Records in all.' })(ModelPage.prototype as object, 'count');

/** The versions of a model as a list, with the fields of the highest one unless the list is streamed. */
export class CategoryModelView extends IntersectionType(ModelPage, PartialType(ModelView)) {}
