import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { BaseEntity } from '../../core/database/base.entity.js';
import type { JsonObject } from '../../core/json/json.js';
import type { RelationshipDefinition } from '../../formats/definitions/definitions.js';
import type { EntryStatus } from '../entities/entry-status.js';

/** A rule by which components of a design are related; its content identifies it within its model. */
@Entity('relationship')
@Index('relationship_identity', ['modelId', 'identity'], { unique: true })
@Index('relationship_kind', ['kind', 'id'], { where: 'listed' })
export class Relationship extends BaseEntity {
  @ForeignKey('Model')
  @Column('uuid')
  modelId!: string;

  @Column('text')
  kind!: string;

  @Column('text')
  type!: string;

  @Column('text')
  subType!: string;

  @Column('text', { default: 'enabled' })
  status!: EntryStatus;

  /** It and its model are enabled and not deleted. */
  @Column('boolean', { default: true })
  listed!: boolean;

  @Column('text')
  version!: string;

  @Column('jsonb')
  selectors!: JsonObject[];

  @Column('jsonb', { default: {} })
  metadata!: JsonObject;

  @Column('jsonb', { default: {} })
  rest!: JsonObject;

  /** A hash of kind, type, sub-type and selectors. */
  @Column('text')
  identity!: string;

  @Column('text')
  digest!: string;

  /** The registered definition, with its current status here. */
  definition(): RelationshipDefinition {
    const { kind, type, subType, version, selectors, metadata, rest, status } = this;
    return { kind, type, subType, version, selectors, metadata, rest: { ...rest, status } };
  }
}
