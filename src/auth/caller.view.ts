import { IdField, TextField } from '../core/schema/view-fields.js';
import { ProfileView } from '../organizations/profiles/profile.view.js';

/** The name of the identity provider, which the command lines of the field keep beside a token. */
export const PROVIDER = 'Armature';

/** The profile of the caller, with the id under the name that the command lines of the field read. */
export class CallerView extends ProfileView {
  @IdField({ rest: true, description: 'The same as id.' })
  user_id!: string;

  static fromProfile(this: void, profile: ProfileView): CallerView {
    return Object.assign(new CallerView(), profile, { user_id: profile.id });
  }
}

/** A token in the form of the file that the command lines of the field keep: texts by name. */
export class CallerTokenView {
  @TextField({ rest: true, description: 'The token that the call was made with.' })
  token!: string;

  @TextField({ rest: true, description: 'The identity provider.' })
  'meshery-provider'!: string;
}
