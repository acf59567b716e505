import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { hashSecretToken, generateSecretToken } from '../../core/crypto/secret-token.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { NotFound } from '../../core/errors/app-error.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import { Precondition } from '../../core/rest/precondition.js';
import { EventBus } from '../../core/events/event-bus.js';
import { OrganizationMemberInvited } from '../memberships/member.events.js';
import type { NewMember } from '../memberships/member.inputs.js';
import { type AccountStanding, ROLE_RANKS } from '../memberships/member.view.js';
import type { Organization } from '../organization.entity.js';
import { OrganizationsService } from '../organizations.service.js';
import { normalizeEmail } from '../users/users.store.js';
import { Invitation } from './invitation.entity.js';
import { InvitationMailsService } from './invitation-mails.service.js';
import { InvitationsStore } from './invitations.store.js';

const VALID_DAYS = 7;

/** An invitation with the URL that accepts it, which is available only at creation. */
export interface IssuedInvitation {
  invitation: Invitation;
  url: string;
  account: AccountStanding;
}

/** Invites users to an organization. */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly invitations: InvitationsStore,
    private readonly organizations: OrganizationsService,
    private readonly mails: InvitationMailsService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** Part of a unit of work that locks the organization, and has determined that the address must accept first. */
  async invite(
    actor: Actor,
    organization: Organization,
    input: NewMember,
    account: AccountStanding,
  ): Promise<IssuedInvitation> {
    const [token, proof] = [generateSecretToken(), generateSecretToken()];
    const email = normalizeEmail(input.email);
    await this.invitations.withdrawByEmail(organization.id, email);
    const invitation = await this.invitations.insert(
      Object.assign(new Invitation(), {
        organizationId: organization.id,
        email,
        role: ROLE_RANKS[input.role],
        firstName: input.first_name ?? '',
        lastName: input.last_name ?? '',
        tokenHash: hashSecretToken(token),
        proofHash: this.mails.isConfigured ? hashSecretToken(proof) : null,
        invitedBy: actor.userId,
        expiresAt: new Date(Date.now() + VALID_DAYS * 86_400_000),
        acceptedAt: null,
      }),
    );
    await this.mails.enqueue(organization, { token, proof, inviter: actor.name });
    await this.events.publish(new OrganizationMemberInvited(actor, organization.id, invitation, input.role, account));
    return { invitation, url: this.mails.urlOf(token), account };
  }

  /** Invitations of a user who may no longer invite become invalid. */
  withdrawByInviter(userId: string, organizationId: string | null = null): Promise<void> {
    // A user who loses the role no longer sees them.
    return this.unit.runAsSystem('invitations of a former admin', () =>
      this.invitations.withdrawByInviter(userId, organizationId),
    );
  }

  /** A user who was added by other means needs no invitation. */
  withdrawByEmail(organizationId: string, email: string): Promise<void> {
    return this.invitations.withdrawByEmail(organizationId, email);
  }

  async list(actor: Actor, organizationId: string, query: ListQuery): Promise<Page<Invitation>> {
    await this.organizations.getAuthorized(actor, organizationId, 'manageMembers');
    return this.invitations.page(organizationId, query);
  }

  async withdraw(actor: Actor, organizationId: string, id: string, match: Precondition): Promise<Invitation> {
    return this.unit.run(async () => {
      await this.organizations.getForUpdate(actor, organizationId, 'manageMembers', Precondition.none);
      const invitation = await this.invitations.lockPending(organizationId, id);
      if (!invitation) throw new NotFound('invitation', id);
      match.assertMatches(invitation);
      return this.invitations.softDelete(invitation);
    });
  }
}
