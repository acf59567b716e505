import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { Env } from '../../core/config/env.js';
import { hashSecretToken, generateSecretToken } from '../../core/crypto/secret-token.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { NotFound } from '../../core/errors/app-error.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import { Mailer } from '../../core/mail/mailer.js';
import { EventBus } from '../../core/events/event-bus.js';
import { OrganizationMemberInvited } from '../members/member.events.js';
import type { NewMember } from '../members/member.inputs.js';
import { type AccountStanding, ROLE_RANKS } from '../members/member.view.js';
import type { Organization } from '../organization.entity.js';
import { OrganizationsService } from '../organizations.service.js';
import { normalizeEmail } from '../users/users.store.js';
import { Invitation } from './invitation.entity.js';
import { InvitationsStore } from './invitations.store.js';

const VALID_DAYS = 7;

/** An invitation with the URL that accepts it, which is known only now. */
export interface IssuedInvitation {
  invitation: Invitation;
  url: string;
  account: AccountStanding;
}

/** Asking people into an organization. */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly invitations: InvitationsStore,
    private readonly organizations: OrganizationsService,
    private readonly mailer: Mailer,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
    private readonly env: Env,
  ) {}

  /** Part of a unit of work that holds the organization, and has found that the address is to accept first. */
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
        proofHash: this.mailer.isConfigured ? hashSecretToken(proof) : null,
        invitedBy: actor.userId,
        expiresAt: new Date(Date.now() + VALID_DAYS * 86_400_000),
        acceptedAt: null,
      }),
    );
    const url = `${this.env.baseUrl}/api/auth/invitations/${token}`;
    this.unit.afterCommit(() =>
      this.mailer.sendInBackground(invitationMail(invitation, organization, actor, `${url}?proof=${proof}`)),
    );
    await this.events.publish(new OrganizationMemberInvited(actor, organization.id, invitation, input.role, account));
    return { invitation, url, account };
  }

  /** Invitations of someone who may no longer invite do not hold. */
  withdrawByInviter(userId: string, organizationId: string | null = null): Promise<void> {
    // Whoever loses the role does not see them any more.
    return this.unit.runAsSystem('invitations of a former admin', () =>
      this.invitations.withdrawByInviter(userId, organizationId),
    );
  }

  /** Whoever was added otherwise needs no invitation any more. */
  withdrawByEmail(organizationId: string, email: string): Promise<void> {
    return this.invitations.withdrawByEmail(organizationId, email);
  }

  async list(actor: Actor, organizationId: string, query: ListQuery): Promise<Page<Invitation>> {
    await this.organizations.get(actor, organizationId);
    await this.organizations.requireAccess(actor, 'manageMembers', organizationId);
    return this.invitations.page(organizationId, query);
  }

  async withdraw(actor: Actor, organizationId: string, id: string): Promise<Invitation> {
    return this.unit.run(async () => {
      await this.organizations.getForUpdate(actor, organizationId, 'manageMembers');
      const invitation = await this.invitations.lockPending(organizationId, id);
      if (!invitation) throw new NotFound('invitation', id);
      return this.invitations.softDelete(invitation);
    });
  }
}

const invitationMail = ({ email, expiresAt }: Invitation, { name }: Organization, actor: Actor, url: string) => ({
  to: email,
  subject: `You are invited to ${name}`,
  text: `${actor.name} invites you to the organization ${name}.

Accept until ${expiresAt.toISOString()}. Without an account here, choose a password of at least 8 characters:

  curl -X POST '${url}' -H 'Content-Type: application/json' -d '{"password": "…"}'

With an account, sign in and accept with your token:

  curl -X POST '${url}' -H "Authorization: Bearer $TOKEN"

If you do not know who this is, do nothing: without you nobody is added, and no account is made.
`,
});
