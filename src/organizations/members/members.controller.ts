import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { Caller } from '../../core/access/public.js';
import { ListQuery } from '../../core/listing/list-query.js';
import { type Envelope, envelope } from '../../core/listing/page.js';
import { AnswersSecret } from '../../core/rest/answers-secret.js';
import { Id } from '../../core/rest/id.js';
import { Requires } from '../../core/rest/rights/requires.js';
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
  async list(@Caller() actor: Actor, @Id('orgId') orgId: string, @Query() query: ListQuery): Promise<Envelope> {
    const { page, forAdmin } = await this.members.list(actor, orgId, query);
    return envelope(page, 'users', forAdmin ? MemberView.forAdmin : MemberView.of);
  }

  @AnswersSecret()
  @Post()
  @Requires(organizationPolicy.manageMembers, OrganizationsService, 'orgId')
  @ApiCreatedResponse({ type: AddedMemberView })
  async add(@Caller() actor: Actor, @Id('orgId') orgId: string, @Body() input: NewMember): Promise<AddedMemberView> {
    return AddedMemberView.ofAdded(await this.members.add(actor, orgId, input));
  }

  @Put(':userId')
  @Requires(organizationPolicy.manageMembers, OrganizationsService, 'orgId')
  @ApiOkResponse({ type: MemberView })
  async changeRole(
    @Caller() actor: Actor,
    @Id('orgId') orgId: string,
    @Id('userId') userId: string,
    @Body() { role }: MemberChange,
  ): Promise<MemberView> {
    return MemberView.forAdmin(await this.members.changeRole(actor, orgId, userId, role));
  }

  @Delete(':userId')
  @Requires(organizationPolicy.leave, MembersService, 'orgId', 'userId')
  @ApiOkResponse({ type: MemberView })
  async remove(@Caller() actor: Actor, @Id('orgId') orgId: string, @Id('userId') userId: string): Promise<MemberView> {
    return MemberView.of(await this.members.remove(actor, orgId, userId));
  }
}
