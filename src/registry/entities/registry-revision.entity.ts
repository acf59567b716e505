import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** Counts the changes of the registry, in a single row. */
@Entity('registry_revision')
@Check('registry_revision_singleton_check', 'singleton')
export class RegistryRevision {
  @PrimaryColumn('boolean', { default: true })
  singleton!: boolean;

  @Column('bigint', { default: 0 })
  revision!: string;

  /** Hash of the seed that a new server registers. */
  @Column('text', { nullable: true })
  seed!: string | null;
}
