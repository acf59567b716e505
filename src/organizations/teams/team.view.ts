import { ObjectType } from '@nestjs/graphql';
import { PaginatedView } from '../../core/listing/page.js';
import { IdField, TextField } from '../../core/schema/view-fields.js';
import { RecordView } from '../../core/schema/record.view.js';
import type { Team } from './team.entity.js';

@ObjectType('Team', { description: 'Users of an organization who are granted roles in workspaces together.' })
export class TeamView extends RecordView {
  @TextField()
  name!: string;

  @TextField({ nullable: true })
  description!: string;

  @IdField()
  organization_id!: string;

  static fromEntity(this: void, team: Team): TeamView {
    return RecordView.assignRecord(new TeamView(), team, {
      name: team.name,
      description: team.description,
      organization_id: team.organizationId,
    });
  }
}

export const TeamPage = PaginatedView(TeamView, 'teams', 'TeamPage');
