import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { hashSecretToken, generateSecretToken } from '../../core/crypto/secret-token.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { NotFound } from '../../core/errors/app-error.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import { Precondition } from '../../core/rest/precondition.js';
import { EventBus } from '../../core/events/event-bus.js';
import { normalizeEmail } from '../../core/schema/one-line-text.js';
import { OrganizationMemberInvited } from '../memberships/member.events.js';
import type { NewMember } from '../memberships/member.inputs.js';
import { type AccountState, ROLE_RANKS } from '../memberships/member.view.js';
import type { Organization } from '../organization.entity.js';
import { OrganizationsService } from '../organizations.service.js';
import { Invitation } from './invitation.entity.js';
import { InvitationMailsService } from './invitation-mails.service.js';
import { InvitationsStore } from './invitations.store.js';

const VALID_DAYS = 7;

/** An invitation with the URL that accepts it, which is available only when it is created. */
export interface IssuedInvitation {
  invitation: Invitation;
  url: string;
  account: AccountState;
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

  /** Runs in a transaction that locks the organization. The caller has determined that the owner of the address must accept first. */
  async invite(
    actor: Actor,
    organization: Organization,
    input: NewMember & { email: string },
    account: AccountState,
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
    await this.mails.enqueue(organization, invitation, { token, proof, inviter: actor.name });
    await this.events.publish(new OrganizationMemberInvited(actor, organization.id, invitation, input.role, account));
    return { invitation, url: this.mails.urlOf(token), account };
  }

  /** Withdraws the invitations of a user who may no longer invite. */
  withdrawByInviter(userId: string, organizationId: string | null = null): Promise<void> {
    // A user who has lost the role no longer sees these invitations.
    return this.unit.runAsSystem('invitations of a former admin', () =>
      this.invitations.withdrawByInviter(userId, organizationId),
    );
  }

  /** Withdraws the invitations of a user who was added by other means. */
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
