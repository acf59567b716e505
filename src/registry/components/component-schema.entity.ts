import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A JSON Schema as text, under the hash of that text; it is never changed. */
@Entity('component_schema')
export class ComponentSchema {
  @PrimaryColumn('text')
  digest!: string;

  @Column('text')
  text!: string;
}
