import { PaginatedView } from '../../core/listing/page.js';
import type { Scope } from '../../core/access/actor.js';
import { IdField, TextField, TextsField, TimeField } from '../../core/schema/view-fields.js';
import { RecordView, withRevision } from '../../core/schema/record.view.js';
import type { PersonalToken } from './personal-token.entity.js';

export class PersonalTokenView extends RecordView {
  @TextField()
  name!: string;

  @IdField({ description: 'The user or service account that it acts for.' })
  user_id!: string;

  @TextsField()
  scopes!: Scope[];

  @TimeField({ nullable: true })
  expires_at!: Date | null;

  @TimeField({ nullable: true, description: 'Accurate to the minute.' })
  last_used_at!: Date | null;

  static fromEntity(this: void, token: PersonalToken): PersonalTokenView {
    return RecordView.assignRecord(new PersonalTokenView(), token, {
      name: token.name,
      user_id: token.userId,
      scopes: token.scopes,
      expires_at: token.expiresAt,
      last_used_at: token.lastUsedAt,
    });
  }
}

export const PersonalTokenPage = PaginatedView(PersonalTokenView, 'tokens', 'PersonalTokenPage');

/** A new token, with its secret. */
export class MintedTokenView extends PersonalTokenView {
  @TextField({ rest: true, description: 'Shown only here.' })
  token!: string;

  static fromMinted(this: void, { record, secret }: { record: PersonalToken; secret: string }): MintedTokenView {
    return withRevision(
      Object.assign(new MintedTokenView(), PersonalTokenView.fromEntity(record), { token: secret }),
      record,
    );
  }
}
