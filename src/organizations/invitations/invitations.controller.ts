import { Controller, Delete, Get, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { Caller } from '../../core/access/public.js';
import { ListQuery } from '../../core/listing/list-query.js';
import { type Envelope, envelope } from '../../core/listing/page.js';
import { AnswersSecret } from '../../core/rest/answers-secret.js';
import { Id } from '../../core/rest/id.js';
import { Requires } from '../../core/rest/rights/requires.js';
import { organizationPolicy } from '../organization.policy.js';
import { OrganizationsService } from '../organizations.service.js';
import { InvitationPage, InvitationView } from './invitation.view.js';
import { InvitationsService } from './invitations.service.js';

@ApiTags('organizations')
@ApiBearerAuth()
@AnswersSecret()
@Controller('api/identity/orgs/:orgId/invitations')
export class InvitationsController {
  constructor(private readonly invitations: InvitationsService) {}

  @Get()
  @ApiOkResponse({ type: InvitationPage })
  async list(@Caller() actor: Actor, @Id('orgId') orgId: string, @Query() query: ListQuery): Promise<Envelope> {
    return envelope(await this.invitations.list(actor, orgId, query), 'invitations', InvitationView.of);
  }

  @Delete(':id')
  @Requires(organizationPolicy.manageMembers, OrganizationsService, 'orgId')
  @ApiOkResponse({ type: InvitationView })
  async withdraw(@Caller() actor: Actor, @Id('orgId') orgId: string, @Id() id: string): Promise<InvitationView> {
    return InvitationView.of(await this.invitations.withdraw(actor, orgId, id));
  }
}
