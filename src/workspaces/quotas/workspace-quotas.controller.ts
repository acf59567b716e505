import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { Caller } from '../../core/access/public.js';
import { Id } from '../../core/rest/id.js';
import { Requires } from '../../core/rest/rights/requires.js';
import { workspacePolicy } from '../workspace.policy.js';
import { WorkspacesService } from '../workspaces.service.js';
import { QuotasChange } from './quotas.inputs.js';
import { WorkspaceQuotasView } from './quotas.view.js';
import { WorkspaceQuotas } from './workspace-quotas.js';

@ApiTags('workspaces')
@ApiBearerAuth()
@Controller('api/workspaces/:id/quotas')
export class WorkspaceQuotasController {
  constructor(private readonly quotas: WorkspaceQuotas) {}

  @Get()
  @ApiOkResponse({ type: WorkspaceQuotasView })
  get(@Caller() actor: Actor, @Id() id: string): Promise<WorkspaceQuotasView> {
    return this.quotas.get(actor, id);
  }

  @Put()
  @Requires(workspacePolicy.setQuotas, WorkspacesService)
  @ApiOkResponse({ type: WorkspaceQuotasView })
  set(@Caller() actor: Actor, @Id() id: string, @Body() input: QuotasChange): Promise<WorkspaceQuotasView> {
    return this.quotas.set(actor, id, input);
  }
}
