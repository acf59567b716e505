import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { workspacePolicy } from '../workspace.policy.js';
import { WorkspacesService } from '../workspaces.service.js';
import { QuotasChange } from './quotas.inputs.js';
import { WorkspaceQuotasView } from './quotas.view.js';
import { WorkspaceQuotasService } from './workspace-quotas.service.js';

@ApiTags('workspaces')
@ApiBearerAuth()
@Controller('api/workspaces/:id/quotas')
export class WorkspaceQuotasController {
  constructor(private readonly quotas: WorkspaceQuotasService) {}

  @Get()
  @ApiOkResponse({ type: WorkspaceQuotasView })
  get(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<WorkspaceQuotasView> {
    return this.quotas.get(actor, id);
  }

  @Put()
  @RequiresRight(workspacePolicy.setQuotas, WorkspacesService)
  @ApiOkResponse({ type: WorkspaceQuotasView })
  set(@CurrentActor() actor: Actor, @IdParam() id: string, @Body() input: QuotasChange): Promise<WorkspaceQuotasView> {
    return this.quotas.update(actor, id, input);
  }
}
