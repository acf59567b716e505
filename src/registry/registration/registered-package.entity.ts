import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A package that was registered completely. While its models are unchanged, registering it again changes nothing. */
@Entity('registered_package')
export class RegisteredPackage {
  /** SHA-256 of its bytes. */
  @PrimaryColumn('text')
  digest!: string;

  /** The revision of each of its models, by id. */
  @Column('jsonb')
  models!: Record<string, number>;

  /** The answer, with every outcome `unchanged`. */
  @Column('jsonb')
  result!: object;
}
