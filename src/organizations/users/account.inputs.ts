import { InputForms } from '../../core/schema/field-examples.js';
import { UpdateInput } from '../../core/rest/input.pipe.js';
import { UpdatesView } from '../../core/rest/read-only-fields.js';
import { FlagInput } from '../../core/schema/input-fields.js';
import { AccountView } from './account.view.js';

@UpdatesView(() => AccountView)
@InputForms({ 'make an administrator': { installation_admin: true }, deactivate: { deactivated: true } })
export class AccountChange extends UpdateInput {
  @FlagInput({ optional: true })
  installation_admin?: boolean;

  @FlagInput({ optional: true })
  deactivated?: boolean;
}
