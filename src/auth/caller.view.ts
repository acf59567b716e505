import { IdField, TextField } from '../core/schema/view-fields.js';
import { ProfileView } from '../organizations/profiles/profile.view.js';

/** The name of the identity provider, which command lines made for other systems with this interface keep beside a token. */
export const PROVIDER = 'Armature';

/** The profile of the caller, with the id under the name that command lines made for other systems with this interface read. */
export class CallerView extends ProfileView {
  @IdField({ rest: true, description: 'The same as id.' })
  user_id!: string;

  static fromProfile(this: void, profile: ProfileView): CallerView {
    return Object.assign(new CallerView(), profile, { user_id: profile.id });
  }
}

/** A token in the form of the file in which those command lines keep it: texts by name. */
export class CallerTokenView {
  @TextField({ rest: true, description: 'The token that the call was made with.' })
  token!: string;

  @TextField({ rest: true, description: 'The identity provider.' })
  'meshery-provider'!: string;
}
