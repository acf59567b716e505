import { Body, Controller, Delete, Get, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { ListQuery } from '../../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { workspacePolicy } from '../workspace.policy.js';
import { WorkspacesService } from '../workspaces.service.js';
import { WorkspaceMemberPage, WorkspaceMemberView } from './workspace-member.view.js';
import { WorkspaceMemberChange } from './workspace-member.inputs.js';
import { WorkspaceMembersService } from './workspace-members.service.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';

@ApiTags('workspaces')
@Controller('workspaces/:id/members')
export class WorkspaceMembersController {
  constructor(private readonly members: WorkspaceMembersService) {}

  @RestOperation(
    'listWorkspaceMembers',
    'List members of a workspace',
    'Lists the users with a role in a workspace, and the teams that give it to them.',
  )
  @Get()
  @ApiOkResponse({ type: WorkspaceMemberPage })
  async list(@CurrentActor() actor: Actor, @IdParam() id: string, @Query() query: ListQuery): Promise<PageEnvelope> {
    return toPageEnvelope(await this.members.list(actor, id, query), 'members', WorkspaceMemberView.fromMember);
  }

  @RestOperation('getWorkspaceMember', 'Read a member of a workspace', 'Reads the role of a user in a workspace.')
  @Get(':userId')
  @ApiOkResponse({ type: WorkspaceMemberView })
  async get(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IdParam('userId') userId: string,
  ): Promise<WorkspaceMemberView> {
    return WorkspaceMemberView.fromMember(await this.members.get(actor, id, userId));
  }

  @RestOperation(
    'setWorkspaceMember',
    'Set the role of a member',
    'Grants a user a role in a workspace, or changes it.',
  )
  @Put(':userId')
  @RequiresRight(workspacePolicy.manageMembers, WorkspacesService)
  @ApiOkResponse({ type: WorkspaceMemberView })
  async put(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IdParam('userId') userId: string,
    @Body() input: WorkspaceMemberChange,
    @IfMatch() match: Precondition,
  ): Promise<WorkspaceMemberView> {
    return WorkspaceMemberView.fromMember(await this.members.setRole(actor, id, userId, input, match));
  }

  @RestOperation(
    'removeWorkspaceMember',
    'Remove a member',
    'Revokes the role of a user in a workspace. Members may remove themselves.',
  )
  @Delete(':userId')
  @RequiresRight(workspacePolicy.leave, WorkspaceMembersService, 'id', 'userId')
  @ApiOkResponse({ type: WorkspaceMemberView })
  async remove(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IdParam('userId') userId: string,
    @IfMatch() match: Precondition,
  ): Promise<WorkspaceMemberView> {
    return WorkspaceMemberView.fromMember(await this.members.remove(actor, id, userId, match));
  }
}
