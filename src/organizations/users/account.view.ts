import { PaginatedView } from '../../core/listing/page.js';
import { FlagField, TextField, TimeField, WordField } from '../../core/schema/view-fields.js';
import { RecordView } from '../../core/schema/record.view.js';
import { type User, USER_KINDS, type UserKind } from './user.entity.js';

/** An account, as shown to installation administrators and its owner. */
export class AccountView extends RecordView {
  @WordField(USER_KINDS)
  kind!: UserKind;

  @TextField()
  email!: string;

  @TextField({ nullable: true })
  first_name!: string;

  @TextField({ nullable: true })
  last_name!: string;

  @FlagField()
  installation_admin!: boolean;

  @FlagField()
  deactivated!: boolean;

  @TimeField({ nullable: true })
  deactivated_at!: Date | null;

  @TextField({
    nullable: true,
    description: 'The OpenID Connect issuer that authenticates the user, instead of a password or beside it.',
  })
  issuer!: string | null;

  @FlagField({
    description: 'Another user chose the password, and the owner of the address has not confirmed the account yet.',
  })
  unconfirmed!: boolean;

  static fromEntity(this: void, user: User): AccountView {
    return RecordView.assignRecord(new AccountView(), user, {
      kind: user.kind,
      email: user.email,
      first_name: user.firstName,
      last_name: user.lastName,
      installation_admin: user.installationAdmin,
      deactivated: Boolean(user.deactivatedAt),
      deactivated_at: user.deactivatedAt ?? null,
      issuer: user.issuer ?? null,
      unconfirmed: Boolean(user.unconfirmedBy),
    });
  }
}

export const AccountPage = PaginatedView(AccountView, 'users', 'AccountPage');
