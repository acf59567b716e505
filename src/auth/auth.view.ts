import { IntField, TextField, WordField } from '../core/schema/view-fields.js';

/** What a sign-in gives: a token to call with, and one to get the next with. */
export class TokensView {
  @TextField()
  access_token!: string;

  @WordField(['Bearer'])
  token_type!: 'Bearer';

  @IntField({ description: 'Seconds until the access token expires.' })
  expires_in!: number;

  @TextField({ description: 'Good for one use.' })
  refresh_token!: string;
}
