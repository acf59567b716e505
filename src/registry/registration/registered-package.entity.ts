import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A package that was registered whole. As long as its models are what it left them, it changes nothing when it comes again. */
@Entity('registered_package')
export class RegisteredPackage {
  /** SHA-256 of its bytes. */
  @PrimaryColumn('text')
  digest!: string;

  /** The revision of each of its models, by id. */
  @Column('jsonb')
  models!: Record<string, number>;

  /** What was answered, with every outcome `unchanged`. */
  @Column('jsonb')
  result!: object;
}
