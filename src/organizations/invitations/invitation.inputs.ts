import { InputForms } from '../../core/schema/field-examples.js';
import { LineInput, TextInput } from '../../core/schema/input-fields.js';
import { NewPasswordInput } from '../memberships/member.inputs.js';

@InputForms({ 'without an account': { password: 'correct horse battery staple', first_name: 'Ada' }, 'signed in': {} })
export class Acceptance {
  @NewPasswordInput({ optional: true, description: 'Of the account that this creates; required without a token.' })
  password?: string;

  @LineInput({ optional: true })
  first_name?: string;

  @LineInput({ optional: true })
  last_name?: string;
}

export class AcceptanceQuery {
  @TextInput({ optional: true, max: 200, description: 'From the email: it proves that the address is yours.' })
  proof?: string;
}
