import { IntField, TextField, WordField } from '../core/schema/view-fields.js';

/** The result of a sign-in: an access token, and a refresh token to get the next one with. */
export class TokensView {
  @TextField()
  access_token!: string;

  @WordField(['Bearer'])
  token_type!: 'Bearer';

  @IntField({ description: 'Seconds until the access token expires.' })
  expires_in!: number;

  @TextField({ description: 'Can be used once.' })
  refresh_token!: string;
}
