import { AnyField, TextField } from '../../core/schema/view-fields.js';
import type { FieldChange } from './planned-resource.js';

/** The change of one field of an object. */
export class FieldChangeView implements FieldChange {
  @TextField({ rest: true, description: 'A JSON Pointer into the object.' })
  path!: string;

  @AnyField({ rest: true, optional: true, description: 'The value before; absent when the field is added.' })
  from: unknown;

  @AnyField({ rest: true, optional: true, description: 'The value after; absent when the field is removed.' })
  to: unknown;
}
