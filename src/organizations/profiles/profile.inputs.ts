import { InputForms } from '../../core/schema/field-examples.js';
import { nullToEmpty, definedFields, UpdatesView } from '../../core/rest/read-only-fields.js';
import { UpdateInput } from '../../core/rest/input.pipe.js';
import { IdInput, LineInput } from '../../core/schema/input-fields.js';
import { ProfileView } from './profile.view.js';
import type { User } from '../users/user.entity.js';

@UpdatesView(() => ProfileView)
@InputForms({ example: { first_name: 'Ada', last_name: 'Lovelace' } })
export class ProfileChange extends UpdateInput {
  @LineInput({ clearable: true })
  first_name?: string | null;

  @LineInput({ clearable: true })
  last_name?: string | null;

  @IdInput({ clearable: true, description: 'The organization of calls that name none; an organization of the caller.' })
  default_organization_id?: string | null;

  /** The columns that this input sets. */
  fields(): Partial<User> {
    return definedFields({
      firstName: nullToEmpty(this.first_name, ''),
      lastName: nullToEmpty(this.last_name, ''),
      defaultOrganizationId: this.default_organization_id,
    });
  }
}
