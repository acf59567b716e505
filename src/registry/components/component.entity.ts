import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { BaseEntity } from '../../core/database/base.entity.js';
import type { ComponentDefinition } from '../../formats/definitions/definitions.js';
import type { EntryStatus } from '../entities/entry-status.js';

/** The fields of a component that are shown but never searched. */
export type ComponentDetails = Pick<
  ComponentDefinition,
  'description' | 'format' | 'styles' | 'capabilities' | 'metadata' | 'rest'
>;

/** A kind of building block; kind and apiVersion identify it within its model. */
@Entity('component')
@Index('component_identity', ['modelId', 'kind', 'apiVersion'], { unique: true })
@Index('component_kind', ['kind', 'id'], { where: 'listed' })
@Index('component_kind_version', ['kind', 'apiVersion'])
@Index('component_display_name', ['displayName', 'id'], { where: 'listed' })
@Index('component_created', ['createdAt', 'id'], { where: 'listed' })
@Index('component_updated', ['updatedAt', 'id'], { where: 'listed' })
@Index('component_search', { synchronize: false })
export class Component extends BaseEntity {
  @ForeignKey('Model')
  @Column('uuid')
  modelId!: string;

  @Column('text')
  kind!: string;

  @Column('text')
  apiVersion!: string;

  @Column('text')
  displayName!: string;

  @Column('boolean', { default: false })
  isAnnotation!: boolean;

  @Column('text', { default: 'enabled' })
  status!: EntryStatus;

  /** It and its model are enabled and not deleted. */
  @Column('boolean', { default: true })
  listed!: boolean;

  /** The hash of its schema, which is stored once for all components that share it; null without one. */
  @ForeignKey('ComponentSchema')
  @Column('text', { nullable: true })
  schemaDigest!: string | null;

  @Column('text')
  digest!: string;

  @Column('jsonb')
  details!: ComponentDetails;

  /** The registered definition, with its current status here. */
  definition(schema: string): ComponentDefinition {
    const { kind, apiVersion, displayName, details, status } = this;
    return { kind, apiVersion, displayName, schema, ...details, rest: { ...details.rest, status } };
  }
}
