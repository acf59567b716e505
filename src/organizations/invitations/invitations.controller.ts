import { Controller, Delete, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { ListQuery } from '../../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import { NoStore } from '../../core/rest/no-store.decorator.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { organizationPolicy } from '../organization.policy.js';
import { OrganizationsService } from '../organizations.service.js';
import { InvitationPage, InvitationView } from './invitation.view.js';
import { InvitationsService } from './invitations.service.js';

@ApiTags('organizations')
@NoStore()
@Controller('identity/orgs/:orgId/invitations')
export class InvitationsController {
  constructor(private readonly invitations: InvitationsService) {}

  @RestOperation('listInvitations', 'List invitations', 'Lists the open invitations of an organization.', {
    errors: [403],
  })
  @Get()
  @ApiOkResponse({ type: InvitationPage })
  async list(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @Query() query: ListQuery,
  ): Promise<PageEnvelope> {
    return toPageEnvelope(await this.invitations.list(actor, orgId, query), 'invitations', InvitationView.fromEntity);
  }

  @RestOperation('withdrawInvitation', 'Withdraw an invitation', 'Withdraws an invitation; its link stops working.')
  @Delete(':id')
  @RequiresRight(organizationPolicy.manageMembers, OrganizationsService, 'orgId')
  @ApiOkResponse({ type: InvitationView })
  async withdraw(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @IdParam() id: string,
    @IfMatch() match: Precondition,
  ): Promise<InvitationView> {
    return InvitationView.fromEntity(await this.invitations.withdraw(actor, orgId, id, match));
  }
}
