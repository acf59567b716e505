import { Body, Controller, Delete, Get, Put } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { Caller } from '../../core/access/public.js';
import { type Envelope, envelope, whole } from '../../core/listing/page.js';
import { Id } from '../../core/rest/id.js';
import { Requires } from '../../core/rest/rights/requires.js';
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
  async list(@Caller() actor: Actor, @Id() id: string): Promise<Envelope> {
    return envelope(whole(await this.members.list(actor, id)), 'members', WorkspaceMemberView.of);
  }

  @Put(':userId')
  @Requires(workspacePolicy.manageMembers, WorkspacesService)
  @ApiOkResponse({ type: WorkspaceMemberView })
  async put(
    @Caller() actor: Actor,
    @Id() id: string,
    @Id('userId') userId: string,
    @Body() { role }: WorkspaceGrant,
  ): Promise<WorkspaceMemberView> {
    return WorkspaceMemberView.of(await this.members.put(actor, id, userId, role));
  }

  @Delete(':userId')
  @Requires(workspacePolicy.leave, WorkspaceMembersService, 'id', 'userId')
  @ApiOkResponse({ type: WorkspaceMemberView })
  async remove(@Caller() actor: Actor, @Id() id: string, @Id('userId') userId: string): Promise<WorkspaceMemberView> {
    return WorkspaceMemberView.of(await this.members.remove(actor, id, userId));
  }
}
