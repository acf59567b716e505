import { EXAMPLE_ID, InputForms } from '../../core/schema/field-examples.js';
import { UpdatesView } from '../../core/rest/read-only-fields.js';
import { UpdateInput } from '../../core/rest/input.pipe.js';
import { IdInput, MapInput, NameInput, TextInput } from '../../core/schema/input-fields.js';
import { CredentialView } from './credential.view.js';

@UpdatesView(() => CredentialView)
@InputForms({
  example: { name: 'metrics', type: 'prometheus', secret: { token: 'example-token' }, organization_id: EXAMPLE_ID },
})
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

@UpdatesView(() => CredentialView)
@InputForms({ rename: { name: 'metrics' }, 'replace the secret': { secret: { token: 'example-token' } } })
export class CredentialChange extends UpdateInput {
  @NameInput({ optional: true })
  name?: string;

  @MapInput({ optional: true, filled: true })
  secret?: Record<string, unknown>;
}
