import { InputForms } from '../../core/schema/field-examples.js';
import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { definedFields, UpdatesView } from '../../core/rest/read-only-fields.js';
import { UpdateInput } from '../../core/rest/input.pipe.js';
import type { Workspace } from '../workspace.entity.js';
import { WorkspaceQuotasView } from './quotas.view.js';

const MAX_LIMIT = 2_147_483_647;
const message = 'must be a whole number of at least 0, or null for unlimited';

const QuotaInput = () =>
  applyDecorators(
    ApiPropertyOptional({ type: 'integer', minimum: 0, nullable: true, description: 'null is unlimited.' }),
    IsOptional(),
    IsInt({ message }),
    Min(0, { message }),
    Max(MAX_LIMIT, { message: `must be at most ${MAX_LIMIT}` }),
  );

/** `use` may be sent back as it was read. It is not compared, because it changes on its own. */
@UpdatesView(() => WorkspaceQuotasView)
@InputForms({ example: { max_designs: 50, max_deployments_per_day: null } })
export class QuotasChange extends UpdateInput {
  @QuotaInput()
  max_designs?: number | null;

  @QuotaInput()
  max_environments?: number | null;

  @QuotaInput()
  max_members?: number | null;

  @QuotaInput()
  max_deployments_per_day?: number | null;

  /** The columns that this input sets. */
  fields(): Partial<Workspace> {
    return definedFields({
      maxDesigns: this.max_designs,
      maxEnvironments: this.max_environments,
      maxMembers: this.max_members,
      maxDeploymentsPerDay: this.max_deployments_per_day,
    });
  }
}
