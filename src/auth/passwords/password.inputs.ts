import { InputForms } from '../../core/schema/field-examples.js';
import { TextInput } from '../../core/schema/input-fields.js';
import { NewPasswordInput } from '../../organizations/memberships/member.inputs.js';

@InputForms({ example: { password: 'another horse battery staple' } })
export class PasswordChange {
  @TextInput({ max: 1000 })
  current_password!: string;

  @NewPasswordInput()
  password!: string;
}

export class ForgottenPassword {
  @TextInput({ max: 320 })
  email!: string;
}

export class PasswordReset {
  @TextInput({ max: 200, description: 'From the email.' })
  token!: string;

  @NewPasswordInput()
  password!: string;
}

export class Confirmation {
  @NewPasswordInput()
  password!: string;
}
