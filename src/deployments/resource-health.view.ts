import { ObjectType } from '@nestjs/graphql';
import { EnumField, graphqlEnum, TextField } from '../core/schema/view-fields.js';
import { HEALTH_STATUSES, type HealthStatus } from '../kubernetes/resources/health/health-status.js';

const HealthStatusEnum = graphqlEnum('HealthStatus', HEALTH_STATUSES, 'The health of an object.');

@ObjectType('ResourceHealth', { description: 'The health of an object of a cluster.' })
export class ResourceHealthView {
  @EnumField(HealthStatusEnum, { description: 'The health, with the values of Argo CD.' })
  status!: HealthStatus;

  @TextField({ nullable: true, description: 'Why it is not healthy.' })
  message!: string | null;
}
