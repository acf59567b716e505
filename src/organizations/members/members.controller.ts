import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { ListQuery } from '../../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import { NoStore } from '../../core/rest/no-store.decorator.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { organizationPolicy } from '../organization.policy.js';
import { OrganizationsService } from '../organizations.service.js';
import { AddedMemberView } from './added-member.view.js';
import { MemberChange, NewMember } from './member.inputs.js';
import { MemberPage, MemberView } from './member.view.js';
import { MembersService } from './members.service.js';

@ApiTags('organizations')
@ApiBearerAuth()
@Controller('api/identity/orgs/:orgId/users')
export class MembersController {
  constructor(private readonly members: MembersService) {}

  @Get()
  @ApiOkResponse({ type: MemberPage })
  async list(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @Query() query: ListQuery,
  ): Promise<PageEnvelope> {
    const { page, forAdmin } = await this.members.list(actor, orgId, query);
    return toPageEnvelope(page, 'users', forAdmin ? MemberView.fromEntityForAdmin : MemberView.fromEntity);
  }

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

  @Put(':userId')
  @RequiresRight(organizationPolicy.manageMembers, OrganizationsService, 'orgId')
  @ApiOkResponse({ type: MemberView })
  async changeRole(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @IdParam('userId') userId: string,
    @Body() { role }: MemberChange,
  ): Promise<MemberView> {
    return MemberView.fromEntityForAdmin(await this.members.changeRole(actor, orgId, userId, role));
  }

  @Delete(':userId')
  @RequiresRight(organizationPolicy.leave, MembersService, 'orgId', 'userId')
  @ApiOkResponse({ type: MemberView })
  async remove(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @IdParam('userId') userId: string,
  ): Promise<MemberView> {
    return MemberView.fromEntity(await this.members.remove(actor, orgId, userId));
  }
}
