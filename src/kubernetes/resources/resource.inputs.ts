import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsUUID } from 'class-validator';
import { OrganizationListQuery, OrganizationQuery, QueryText } from '../../core/listing/list-query.js';
import { Repeatable } from '../../core/schema/repeatable.js';
import { HEALTH_STATUSES } from './health/health-status.js';

const WORDS = 'several are separated by commas';

/** Query parameters of the list of resources. */
export class ClusterResourceListQuery extends OrganizationListQuery {
  @ApiPropertyOptional({ type: String, example: 'Pod', description: `The kind; ${WORDS}.` })
  @IsOptional()
  @Repeatable()
  kind?: string | string[];

  @ApiPropertyOptional({ type: String, example: 'default', description: `The namespace; ${WORDS}.` })
  @IsOptional()
  @Repeatable()
  namespace?: string | string[];

  @ApiPropertyOptional({ format: 'uuid', description: 'The connection.' })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  connection_id?: string;

  @ApiPropertyOptional({ format: 'uuid', description: 'The connection, by its short name.' })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  connection?: string;

  @ApiPropertyOptional({
    example: 'app=web,tier',
    description: 'Labels that all of them have: `name=value`, or `name` for any value.',
  })
  @QueryText('filter')
  labels?: string;

  @ApiPropertyOptional({
    type: String,
    example: 'Degraded',
    description: `The health, of ${HEALTH_STATUSES.join(', ')}; ${WORDS}.`,
  })
  @IsOptional()
  @Repeatable()
  health?: string | string[];

  @ApiPropertyOptional({ format: 'uuid', description: 'The design that they come from.' })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  design_id?: string;

  @ApiPropertyOptional({ format: 'uuid', description: 'The design, by its short name.' })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  design?: string;

  /** Converts the parameters to filter conditions. */
  toConditions(): Record<string, unknown> {
    const { kind, namespace, labels, health } = this;
    const connection_id = this.connection_id ?? this.connection;
    const design_id = this.design_id ?? this.design;
    const given = { kind, namespace, connection_id, labels, health, design_id };
    return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== ''));
  }
}

export class ResourceSummaryQuery extends OrganizationQuery {
  @ApiPropertyOptional({ format: 'uuid', description: 'Only of this connection.' })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  connection_id?: string;
}
