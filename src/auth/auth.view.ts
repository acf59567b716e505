import { IntField, TextField, WordField } from '../core/schema/view-fields.js';

/** An access token. */
export class AccessTokenView {
  @TextField()
  access_token!: string;

  @WordField(['Bearer'])
  token_type!: 'Bearer';

  @IntField({ description: 'Seconds until the access token expires.' })
  expires_in!: number;
}

/** The result of a sign-in: an access token, and a refresh token to get the next one with. */
export class TokensView extends AccessTokenView {
  @TextField({ description: 'Can be used once.' })
  refresh_token!: string;
}
