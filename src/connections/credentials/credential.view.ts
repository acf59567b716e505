import { PaginatedView } from '../../core/listing/page.js';
import { IdField, TextField } from '../../core/schema/view-fields.js';
import { RecordView } from '../../core/schema/record.view.js';
import type { Credential } from './credential.entity.js';

export class CredentialView extends RecordView {
  @TextField()
  name!: string;

  @TextField()
  type!: string;

  @IdField()
  organization_id!: string;

  @IdField()
  owner!: string;

  static fromEntity(this: void, credential: Credential): CredentialView {
    return RecordView.assignRecord(new CredentialView(), credential, {
      name: credential.name,
      type: credential.type,
      organization_id: credential.organizationId,
      owner: credential.owner,
    });
  }
}

export const CredentialPage = PaginatedView(CredentialView, 'credentials', 'CredentialPage');
