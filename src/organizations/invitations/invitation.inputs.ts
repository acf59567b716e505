import { TextInput } from '../../core/schema/input-fields.js';
import { NewPasswordInput } from '../memberships/member.inputs.js';

export class Acceptance {
  @NewPasswordInput({ optional: true, description: 'Of the account that this creates; required without a token.' })
  password?: string;

  @TextInput({ optional: true, max: 255 })
  first_name?: string;

  @TextInput({ optional: true, max: 255 })
  last_name?: string;
}

export class AcceptanceQuery {
  @TextInput({ optional: true, max: 200, description: 'From the email: it proves that the address is yours.' })
  proof?: string;
}
