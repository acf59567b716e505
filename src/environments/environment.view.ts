import { ObjectType } from '@nestjs/graphql';
import { PaginatedView } from '../core/listing/page.js';
import { IdField, IntField, MapField, TextField, EnumField, graphqlEnum } from '../core/schema/view-fields.js';
import { RecordView } from '../core/schema/record.view.js';
import {
  countRequiredApprovals,
  DRIFT_MODES,
  type DriftMode,
  type Environment,
  ENVIRONMENT_STATUSES,
  type EnvironmentStatus,
  LOG_READERS,
  type LogReaders,
  type Tier,
  TIERS,
} from './environment.entity.js';

const EnvironmentStatusEnum = graphqlEnum(
  'EnvironmentStatus',
  ENVIRONMENT_STATUSES,
  'Whether an environment is in use.',
);
const EnvironmentTierEnum = graphqlEnum('EnvironmentTier', TIERS, 'The tier, which decides the roles that may deploy.');

const EnvironmentDriftEnum = graphqlEnum('EnvironmentDrift', DRIFT_MODES, 'What counts as drift.');

const EnvironmentLogsEnum = graphqlEnum(
  'EnvironmentLogs',
  LOG_READERS,
  'Who reads the logs of what is deployed there.',
);

const SCHEMA_VERSION = 'environments.meshery.io/v1beta1';

@ObjectType('Environment', { description: 'A group of connections of one tier.' })
export class EnvironmentView extends RecordView {
  @TextField()
  name!: string;

  @TextField({ nullable: true })
  description!: string;

  @IdField()
  organization_id!: string;

  @IdField({ description: 'The user who created it.' })
  owner!: string;

  @EnumField(EnvironmentStatusEnum)
  status!: EnvironmentStatus;

  @EnumField(EnvironmentTierEnum)
  tier!: Tier;

  @IntField({ description: 'Admins of the workspace who must approve a deployment there.' })
  required_approvals!: number;

  @EnumField(EnvironmentDriftEnum, {
    description:
      'What counts as drift there: `fields` of the design that differ, or `strict`: also fields that people have added by hand.',
  })
  drift!: DriftMode;

  @EnumField(EnvironmentLogsEnum, {
    description: 'Who reads the logs of what is deployed there: editors of the workspace, or viewers as well.',
  })
  logs!: LogReaders;

  @MapField({ nullable: true })
  metadata!: Record<string, unknown>;

  @TextField()
  schemaVersion!: string;

  static fromEntity(this: void, environment: Environment): EnvironmentView {
    return RecordView.assignRecord(new EnvironmentView(), environment, {
      name: environment.name,
      description: environment.description,
      organization_id: environment.organizationId,
      owner: environment.owner,
      status: environment.status,
      tier: environment.tier,
      required_approvals: countRequiredApprovals(environment),
      drift: environment.drift,
      logs: environment.logs,
      metadata: environment.metadata,
      schemaVersion: SCHEMA_VERSION,
    });
  }
}

export const EnvironmentPage = PaginatedView(EnvironmentView, 'environments', 'EnvironmentPage');
