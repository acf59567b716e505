import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { Env } from '../../core/config/env.js';
import { MAIL_PLACES, shareOf } from '../../core/mail/mail-places.js';
import { MAIL_ATTEMPTS, mailRetryDelayMs } from '../../core/mail/mail-retries.js';
import { type Mail, Mailer } from '../../core/mail/mailer.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { UserLinked, type UserUnlinked } from '../../organizations/users/user.events.js';

const QUEUE = 'auth.link-changed';

interface LinkMailPayload {
  email: string;
  issuer: string;
  isLinked: boolean;
}

/** Tells the owner of an account by email that a user of the issuer was linked to it or unlinked, since a thief of the password could do that. */
@Injectable()
export class LinkEmailsService {
  constructor(
    private readonly mailer: Mailer,
    private readonly env: Env,
    private readonly jobs: JobsService,
  ) {
    jobs.registerHandler<LinkMailPayload>(QUEUE, {
      ...MAIL_PLACES,
      handle: ({ payload }) =>
        this.mailer.send((payload.isLinked ? linkedMail : unlinkedMail)(payload, this.env.baseUrl)),
      retryDelayMs: mailRetryDelayMs,
    });
  }

  /** Enqueues the email in the transaction of the change; has no effect without a mail server. */
  async enqueue(event: UserLinked | UserUnlinked): Promise<void> {
    if (!this.mailer.isConfigured) return;
    const { email } = event.user;
    const payload = { email, issuer: String(event.metadata.issuer), isLinked: event instanceof UserLinked };
    const job = { queue: QUEUE, payload, organizationId: null, shareKey: shareOf(email), mostAttempts: MAIL_ATTEMPTS };
    await this.jobs.enqueue(Actor.system('a link to the issuer'), job);
  }
}

const linkedMail = ({ email, issuer }: LinkMailPayload, baseUrl: string): Mail => ({
  to: email,
  subject: 'A user of the OpenID Connect issuer was linked to your account',
  text: `A user of ${issuer} was linked to your account at ${baseUrl}, and now signs in to it. Your profile shows which one.

If it was not you, another person knows your password. Request a new one, which ends the link:

  POST ${baseUrl}/api/auth/password/forgot {"email": "${email}"}

Then delete the personal tokens that you do not know.
`,
});

const unlinkedMail = ({ email, issuer }: LinkMailPayload, baseUrl: string): Mail => ({
  to: email,
  subject: 'A user of the OpenID Connect issuer was unlinked from your account',
  text: `The user of ${issuer} that was linked to your account at ${baseUrl} no longer signs in to it. The password still does.

A new password that was requested by email ends the link as well. If it was neither, another person can sign in to your account: request a new password.

  POST ${baseUrl}/api/auth/password/forgot {"email": "${email}"}
`,
});
