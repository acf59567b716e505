import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ConnectionDefinition } from '../../formats/definitions/definitions.js';

/** A kind of connection that a package defined. */
@Entity('connection_definition')
export class ConnectionDefinitionRecord {
  @PrimaryColumn('text')
  kind!: string;

  @Column('text')
  digest!: string;

  @Column('jsonb')
  definition!: ConnectionDefinition;
}
