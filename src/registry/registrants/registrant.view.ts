import { ObjectType } from '@nestjs/graphql';
import { PaginatedView } from '../../core/listing/page.js';
import { IdField, TextField } from '../../core/schema/view-fields.js';
import type { Registrant } from './registrant.entity.js';

/** A source that registered models. */
@ObjectType('Registrant', { description: 'A source that registered models.' })
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

export const RegistrantPage = PaginatedView(RegistrantView, 'registrants', 'RegistrantPage');
