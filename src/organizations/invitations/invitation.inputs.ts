import { TextInput } from '../../core/schema/input-fields.js';
import { NewPasswordInput } from '../members/member.inputs.js';

export class Acceptance {
  @NewPasswordInput()
  password!: string;

  @TextInput({ optional: true, max: 255 })
  first_name?: string;

  @TextInput({ optional: true, max: 255 })
  last_name?: string;
}
