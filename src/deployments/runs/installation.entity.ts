import { Check, Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** The installation, a single row. Its id is in the owner labels of deployed objects. */
@Entity('installation')
@Unique(['onlyOne'])
@Check('installation_only_one_check', 'only_one')
export class Installation {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('boolean', { default: true })
  onlyOne!: boolean;
}
