import { TextInput } from '../core/schema/input-fields.js';

export class SignIn {
  @TextInput({ max: 320 })
  email!: string;

  @TextInput({ max: 1000 })
  password!: string;
}

export class AccountLink {
  @TextInput({ max: 1000, description: 'The password of the account that the address of the token has here.' })
  password!: string;
}

export class AccountUnlink {
  @TextInput({ max: 1000, description: 'The password of the account, which signs in to it from then on.' })
  password!: string;
}

export class RefreshRequest {
  @TextInput({ max: 1000 })
  refresh_token!: string;
}
