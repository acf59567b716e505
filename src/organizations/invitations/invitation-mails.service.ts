import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { Env } from '../../core/config/env.js';
import { hashSecretToken } from '../../core/crypto/secret-token.js';
import { Vault } from '../../core/crypto/vault.service.js';
import { newId } from '../../core/database/base.entity.js';
import { MAIL_ATTEMPTS } from '../../core/mail/mail-retries.js';
import { shareOf } from '../../core/mail/mail-places.js';
import { type Mail, Mailer, MailNotSent, toSingleLine } from '../../core/mail/mailer.js';
import type { Job } from '../../jobs/job.js';
import { JobsService } from '../../jobs/jobs.service.js';
import type { Organization } from '../organization.entity.js';
import type { Invitation } from './invitation.entity.js';
import { InvitationsStore } from './invitations.store.js';

export const INVITATION_MAIL_QUEUE = 'organizations.invitation-mail';

/** The payload of the email job: the secrets of the invitation, which are stored elsewhere only as hashes. */
export interface InvitationMailPayload {
  sealed: string;
}

/** The content of the email. */
interface InvitationEmail {
  token: string;
  proof: string;
  organization: string;
  inviter: string;
}

/** Sends invitations by a job, so that they survive a crash or an unreachable mail server. */
@Injectable()
export class InvitationMailsService {
  constructor(
    private readonly invitations: InvitationsStore,
    private readonly mailer: Mailer,
    private readonly vault: Vault,
    private readonly jobs: JobsService,
    private readonly env: Env,
  ) {}

  get isConfigured(): boolean {
    return this.mailer.isConfigured;
  }

  /** The URL for accepting an invitation. */
  urlOf(token: string): string {
    return `${this.env.baseUrl}/api/auth/invitations/${token}`;
  }

  /** Enqueues the email in the transaction that invites; has no effect without a mail server. */
  async enqueue(
    { id: organizationId, name }: Organization,
    { email: address }: Invitation,
    { token, proof, inviter }: Omit<InvitationEmail, 'organization'>,
  ) {
    if (!this.isConfigured) return;
    const id = newId();
    const email: InvitationEmail = { token, proof, inviter, organization: name };
    const sealed = await this.vault.seal(organizationId, JSON.stringify(email), sealingContext(id));
    await this.jobs.enqueue<InvitationMailPayload>(Actor.system('invitation'), {
      id,
      queue: INVITATION_MAIL_QUEUE,
      payload: { sealed: sealed.toString('base64') },
      organizationId: null,
      shareKey: shareOf(address),
      mostAttempts: MAIL_ATTEMPTS,
    });
  }

  /** Sends the email, unless the invitation was withdrawn, accepted or has expired in the meantime. */
  async send({ id, payload, failures, mostAttempts }: Job<InvitationMailPayload>): Promise<void> {
    const text = await this.vault.open(Buffer.from(payload.sealed, 'base64'), sealingContext(id));
    const email = JSON.parse(text.toString()) as InvitationEmail;
    const invitation = await this.invitations.findByHash(hashSecretToken(email.token));
    if (!invitation || invitation.deletedAt || invitation.acceptedAt || invitation.expiresAt < new Date()) return;
    const mail = invitationMail(invitation, email, `${this.urlOf(email.token)}?proof=${email.proof}`);
    try {
      await this.mailer.send({ ...mail, messageId: this.mailer.generateMessageId(id) });
    } catch (error) {
      if (error instanceof MailNotSent) {
        const status = error.isFinal || failures + 1 >= mostAttempts ? 'failed' : 'deferred';
        await this.invitations.recordDelivery(invitation.id, status, error.reason);
      }
      throw error;
    }
    await this.invitations.recordDelivery(invitation.id, 'sent', null);
  }
}

const sealingContext = (id: string): string => `invitation mail ${id}`;

const invitationMail = (
  { email, expiresAt }: Invitation,
  { organization, inviter }: InvitationEmail,
  url: string,
): Mail => ({
  to: email,
  subject: `You are invited to ${organization}`,
  text: `${toSingleLine(inviter)} invites you to the organization ${toSingleLine(organization)}.

Accept the invitation until ${expiresAt.toISOString()}, with a new account or the one that you have:

  ${url}

If you did not expect this email, ignore it: no account is created, and you are not added.
`,
});
