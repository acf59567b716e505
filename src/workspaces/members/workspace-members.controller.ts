import { Body, Controller, Delete, Get, Put } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { type PageEnvelope, toPageEnvelope, singlePage } from '../../core/listing/page.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { workspacePolicy } from '../workspace.policy.js';
import { WorkspacesService } from '../workspaces.service.js';
import { WorkspaceGrant } from './workspace-grant.js';
import { WorkspaceMemberPage, WorkspaceMemberView } from './workspace-member.view.js';
import { WorkspaceMembersService } from './workspace-members.service.js';

@ApiTags('workspaces')
@ApiBearerAuth()
@Controller('api/workspaces/:id/members')
export class WorkspaceMembersController {
  constructor(private readonly members: WorkspaceMembersService) {}

  @Get()
  @ApiOkResponse({ type: WorkspaceMemberPage })
  async list(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<PageEnvelope> {
    return toPageEnvelope(singlePage(await this.members.list(actor, id)), 'members', WorkspaceMemberView.fromMember);
  }

  @Put(':userId')
  @RequiresRight(workspacePolicy.manageMembers, WorkspacesService)
  @ApiOkResponse({ type: WorkspaceMemberView })
  async put(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IdParam('userId') userId: string,
    @Body() { role }: WorkspaceGrant,
  ): Promise<WorkspaceMemberView> {
    return WorkspaceMemberView.fromMember(await this.members.setRole(actor, id, userId, role));
  }

  @Delete(':userId')
  @RequiresRight(workspacePolicy.leave, WorkspaceMembersService, 'id', 'userId')
  @ApiOkResponse({ type: WorkspaceMemberView })
  async remove(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IdParam('userId') userId: string,
  ): Promise<WorkspaceMemberView> {
    return WorkspaceMemberView.fromMember(await this.members.remove(actor, id, userId));
  }
}
