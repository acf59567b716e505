import { ObjectType } from '@nestjs/graphql';
import { IntersectionType, PartialType } from '@nestjs/swagger';
import { CONTENTS_WEIGHT } from '../../core/graphql/limits/query-size.js';
import { PaginatedView } from '../../core/listing/page.js';
import { IdField, MapField, MapsField, RecordField, TextField, EnumField } from '../../core/schema/view-fields.js';
import { RecordView } from '../../core/schema/record.view.js';
import type { EntryStatus } from '../entities/entry-status.js';
import { EntryStatusEnum } from '../entities/entry-status.enum.js';
import type { Model } from '../models/model.entity.js';
import { CategoryView, ModelVersionView } from '../models/model.view.js';
import { RegistrantView } from '../registrants/registrant.view.js';
import type { Registrant } from '../registrants/registrant.entity.js';
import type { Component } from './component.entity.js';

const SCHEMA_VERSION = 'components.meshery.io/v1beta1';

@ObjectType('ComponentKind', { description: 'A kind with its schema.' })
export class ComponentKindView {
  @TextField()
  kind!: string;

  @TextField({ description: 'The apiVersion.' })
  version!: string;

  @TextField({
    optional: true,
    weight: CONTENTS_WEIGHT,
    description: 'JSON Schema as JSON text; left out of lists with trim=true.',
  })
  schema?: string;

  /** The hash of the schema, when the schema is read separately. */
  schemaDigest?: string;
}

/** The model that an entity belongs to. */
@ObjectType('ModelReference', { description: 'The model that an entity belongs to.' })
export class ModelReferenceView {
  @IdField()
  id!: string;

  @TextField()
  name!: string;

  @TextField()
  displayName!: string;

  @TextField()
  version!: string;

  @RecordField(() => CategoryView)
  category!: CategoryView;

  @RecordField(() => ModelVersionView, { description: 'The version (the same as `version`).' })
  model!: ModelVersionView;

  @RecordField(() => RegistrantView)
  registrant!: RegistrantView;

  static fromEntity(model: Model, registrant: Registrant): ModelReferenceView {
    const { id, name, displayName, version, category } = model;
    return Object.assign(new ModelReferenceView(), {
      id,
      name,
      displayName,
      version,
      category: { name: category },
      model: { version },
      registrant: RegistrantView.fromEntity(registrant),
    });
  }
}

@ObjectType('Component', { description: 'A building block of infrastructure, in the registry.' })
export class ComponentView extends RecordView {
  @TextField()
  schemaVersion!: string;

  @RecordField(() => ComponentKindView, { description: 'The kind with its schema.' })
  component!: ComponentKindView;

  @TextField()
  displayName!: string;

  @TextField()
  kind!: string;

  @TextField()
  apiVersion!: string;

  @RecordField(() => ModelReferenceView, { description: 'The model that it belongs to.' })
  model!: ModelReferenceView;

  @EnumField(EntryStatusEnum)
  status!: EntryStatus;

  @TextField({ nullable: true })
  description!: string;

  @TextField({ nullable: true })
  format!: string;

  @MapField({ nullable: true, description: 'How it is drawn.' })
  styles!: object | null;

  @MapsField({ nullable: true, description: 'What can be done with it.' })
  capabilities!: object[] | null;

  @MapField({ nullable: true })
  metadata!: object;

  static fromEntity(component: Component, model: ModelReferenceView, schema: string | undefined): ComponentView {
    const { kind, apiVersion, details } = component;
    return RecordView.assignRecord(new ComponentView(), component, {
      schemaVersion: SCHEMA_VERSION,
      component: { kind, version: apiVersion, ...(schema === undefined ? {} : { schema }) },
      displayName: component.displayName,
      kind,
      apiVersion,
      model,
      status: component.status,
      description: details.description,
      format: details.format,
      styles: details.styles,
      capabilities: details.capabilities,
      metadata: details.metadata,
    });
  }
}

export const ComponentPage = PaginatedView(ComponentView, 'components', 'ComponentPage');

/** The versions of a component as a list, with the fields of the highest one unless the list is streamed. */
export class CategoryComponentView extends IntersectionType(ComponentPage, PartialType(ComponentView)) {}
