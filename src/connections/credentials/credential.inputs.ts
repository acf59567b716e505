import { Writes } from '../../core/rest/change-input.js';
import { ChangeOnly } from '../../core/rest/input.pipe.js';
import { IdInput, MapInput, NameInput, TextInput } from '../../core/schema/input-fields.js';
import { CredentialView } from './credential.view.js';

@Writes(() => CredentialView)
export class NewCredential {
  @NameInput()
  name!: string;

  @TextInput({ max: 63 })
  type!: string;

  @MapInput()
  secret!: Record<string, unknown>;

  @IdInput({ optional: true })
  organization_id?: string;
}

@Writes(() => CredentialView)
export class CredentialChange extends ChangeOnly {
  @NameInput({ optional: true })
  name?: string;

  @MapInput({ optional: true })
  secret?: Record<string, unknown>;
}
