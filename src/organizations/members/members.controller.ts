import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { ListQuery } from '../../core/listing/list-query.js';
import type { PageEnvelope } from '../../core/listing/page.js';
import { NoStore } from '../../core/rest/no-store.decorator.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { organizationPolicy } from '../organization.policy.js';
import { OrganizationsService } from '../organizations.service.js';
import { AddedMemberView } from './added-member.view.js';
import { NewMember } from '../memberships/member.inputs.js';
import { MemberChange } from './member-change.inputs.js';
import { MemberPage, MemberView } from '../memberships/member.view.js';
import { MembersService } from './members.service.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';

@ApiTags('organizations')
@Controller('identity/orgs/:orgId/users')
export class MembersController {
  constructor(private readonly members: MembersService) {}

  @RestOperation(
    'listOrganizationUsers',
    'List users of an organization',
    'Lists the users of an organization with their roles.',
  )
  @Get()
  @ApiOkResponse({ type: MemberPage })
  async list(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @Query() query: ListQuery,
  ): Promise<PageEnvelope> {
    return MemberView.toPage(await this.members.list(actor, orgId, query));
  }

  @RestOperation(
    'addOrganizationUser',
    'Add a user to an organization',
    'Adds or invites a user. Without a password the response carries an invitation link once.',
  )
  @NoStore()
  @Post()
  @RequiresRight(organizationPolicy.manageMembers, OrganizationsService, 'orgId')
  @ApiCreatedResponse({ type: AddedMemberView })
  async add(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @Body() input: NewMember,
  ): Promise<AddedMemberView> {
    return AddedMemberView.fromAdded(await this.members.add(actor, orgId, input));
  }

  @RestOperation('getOrganizationMember', 'Read a member', 'Reads a user as a member of the organization.')
  @Get(':userId')
  @ApiOkResponse({ type: MemberView })
  async get(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @IdParam('userId') userId: string,
  ): Promise<MemberView> {
    const { member, forAdmin } = await this.members.get(actor, orgId, userId);
    return forAdmin ? MemberView.fromEntityForAdmin(member) : MemberView.fromEntity(member);
  }

  @RestOperation(
    'updateOrganizationUser',
    'Update the role of a user',
    'Changes the role of a user in an organization.',
  )
  @Put(':userId')
  @RequiresRight(organizationPolicy.manageMembers, OrganizationsService, 'orgId')
  @ApiOkResponse({ type: MemberView })
  async changeRole(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @IdParam('userId') userId: string,
    @Body() input: MemberChange,
    @IfMatch() match: Precondition,
  ): Promise<MemberView> {
    return MemberView.fromEntityForAdmin(await this.members.changeRole(actor, orgId, userId, input, match));
  }

  @RestOperation(
    'removeOrganizationUser',
    'Remove a user from an organization',
    'Removes a user from an organization; what they own stays with it. Users may remove themselves.',
  )
  @Delete(':userId')
  @RequiresRight(organizationPolicy.leave, MembersService, 'orgId', 'userId')
  @ApiOkResponse({ type: MemberView })
  async remove(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @IdParam('userId') userId: string,
    @IfMatch() match: Precondition,
  ): Promise<MemberView> {
    return MemberView.fromEntity(await this.members.remove(actor, orgId, userId, match));
  }
}
