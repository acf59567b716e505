import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { workspacePolicy } from '../workspace.policy.js';
import { WorkspacesService } from '../workspaces.service.js';
import { QuotasChange } from './quotas.inputs.js';
import { WorkspaceQuotasView } from './quotas.view.js';
import { WorkspaceQuotasService } from './workspace-quotas.service.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';

@ApiTags('workspaces')
@Controller('workspaces/:id/quotas')
export class WorkspaceQuotasController {
  constructor(private readonly quotas: WorkspaceQuotasService) {}

  @RestOperation(
    'getWorkspaceQuotas',
    'Read the quotas of a workspace',
    'Reads the limits of a workspace and how much of each is used.',
  )
  @Get()
  @ApiOkResponse({ type: WorkspaceQuotasView })
  get(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<WorkspaceQuotasView> {
    return this.quotas.get(actor, id);
  }

  @RestOperation(
    'updateWorkspaceQuotas',
    'Update the quotas of a workspace',
    'Changes the limits that are sent; null removes a limit.',
  )
  @Put()
  @RequiresRight(workspacePolicy.setQuotas, WorkspacesService)
  @ApiOkResponse({ type: WorkspaceQuotasView })
  set(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Body() input: QuotasChange,
    @IfMatch() match: Precondition,
  ): Promise<WorkspaceQuotasView> {
    return this.quotas.update(actor, id, input, match);
  }
}
