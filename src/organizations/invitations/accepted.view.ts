import { WordField } from '../../core/schema/view-fields.js';
import { AccountView } from '../users/account.view.js';
import type { User } from '../users/user.entity.js';

const ACCOUNTS = ['new', 'existing'] as const;

/** The account that was created by, or joined with, an invitation. */
export class AcceptedView extends AccountView {
  @WordField(ACCOUNTS)
  account!: (typeof ACCOUNTS)[number];

  static fromAccepted(this: void, user: User, account: (typeof ACCOUNTS)[number]): AcceptedView {
    return Object.assign(new AcceptedView(), AccountView.fromEntity(user), { account });
  }
}
