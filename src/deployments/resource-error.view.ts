import { TextField } from '../core/schema/view-fields.js';
import type { ResourceError } from './plan/planned-resource.js';

/** Why an object cannot be deployed, or was not. */
export class ResourceErrorView implements ResourceError {
  @TextField({ rest: true, description: 'A word such as `NOT_OWNED` or `FIELD_CONFLICT`.' })
  reason!: string;

  @TextField({ rest: true, optional: true, description: 'The path of the field, as the cluster writes it.' })
  field?: string;

  @TextField({ rest: true, description: 'What failed.' })
  detail!: string;

  @TextField({ rest: true, optional: true, description: 'What can be done about it.' })
  remedy?: string;
}
