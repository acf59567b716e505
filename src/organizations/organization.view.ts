import { ObjectType } from '@nestjs/graphql';
import { PaginatedView } from '../core/listing/page.js';
import { IdField, MapField, TextField } from '../core/schema/view-fields.js';
import { RecordView } from '../core/schema/record.view.js';
import type { Organization } from './organization.entity.js';

@ObjectType('Organization', {
  description: 'The unit of tenancy: users, teams, workspaces and environments belong to one.',
})
export class OrganizationView extends RecordView {
  @TextField()
  name!: string;

  @TextField({ nullable: true })
  description!: string;

  @IdField({ description: 'Who created it.' })
  owner!: string;

  @MapField({ nullable: true })
  metadata!: Record<string, unknown>;

  static fromEntity(this: void, organization: Organization): OrganizationView {
    return RecordView.assignRecord(new OrganizationView(), organization, {
      name: organization.name,
      description: organization.description,
      owner: organization.owner,
      metadata: organization.metadata,
    });
  }
}

export const OrganizationPage = PaginatedView(OrganizationView, 'organizations', 'OrganizationPage');
