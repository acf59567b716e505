import { ObjectType } from '@nestjs/graphql';
import { RecordsField, IdField, TextField } from '../../core/schema/view-fields.js';
import type { Registrant } from './registrant.entity.js';

/** A source that registered models. */
@ObjectType('Registrant')
export class RegistrantView {
  @IdField()
  id!: string;

  @TextField()
  hostname!: string;

  @TextField()
  kind!: string;

  @TextField()
  status!: string;

  static fromEntity(this: void, { id, hostname, kind, status }: Registrant): RegistrantView {
    return Object.assign(new RegistrantView(), { id, hostname, kind, status });
  }
}

export class RegistrantList {
  @RecordsField(() => RegistrantView)
  registrants!: RegistrantView[];
}
