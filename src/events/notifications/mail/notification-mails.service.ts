import { Injectable, Logger } from '@nestjs/common';
import { Env } from '../../../core/config/env.js';
import { isRefusedForGood, Mailer } from '../../../core/mail/mailer.js';
import type { JobContext } from '../../../jobs/job-handler.registry.js';
import type { Job } from '../../../jobs/job.js';
import { toMailRecipient } from '../recipient.js';
import { composeMail } from './compose-mail.js';
import { type ClaimedMail, MailClaimsService } from './mail-claims.service.js';
import { MailEventsStore } from './mail-events.store.js';
import type { MailKey } from './notification-mails.store.js';
import { UnsubscribeLinksService } from './unsubscribe-links.service.js';

/** Sends the due mail of one user: one mail, however many events it contains, and none when there are none. */
@Injectable()
export class NotificationMailsService {
  private readonly logger = new Logger('Notifications');

  constructor(
    private readonly claims: MailClaimsService,
    private readonly events: MailEventsStore,
    private readonly links: UnsubscribeLinksService,
    private readonly mailer: Mailer,
    private readonly env: Env,
  ) {}

  async run({ payload: key }: Job<MailKey & object>, { assertLeased }: JobContext): Promise<void> {
    if (!this.mailer.isConfigured) return;
    const mail = await this.claims.claim(key, this.mailer, assertLeased);
    if (!mail) return;
    try {
      await this.claims.finish(mail, await this.send(mail));
    } catch (error) {
      if (!(error instanceof UnsentMail)) throw error;
      await this.fail(mail, error.cause);
    }
  }

  /** @returns whether there was anything to send */
  private async send({ key, claim, user, settings }: ClaimedMail): Promise<boolean> {
    const events = await this.events.list(toMailRecipient(settings, key.frequency), claim);
    if (events.total === 0) return false;
    const message = composeMail(events, {
      to: user.email,
      frequency: key.frequency,
      timezone: settings.timezone,
      baseUrl: this.env.baseUrl,
      messageId: claim.messageId,
      unsubscribeUrl: await this.links.getUrl(user.id),
    });
    await this.mailer.send(message).catch((cause: unknown) => {
      throw new UnsentMail('the mail was not sent', { cause });
    });
    return true;
  }

  private async fail(mail: ClaimedMail, cause: unknown): Promise<void> {
    const { userId, frequency } = mail.key;
    const what = `the ${frequency} mail to the user ${userId}`;
    if (isRefusedForGood(cause)) {
      this.logger.warn(`${what} was refused and is given up: ${String(cause)}`);
      await this.claims.finish(mail, false);
    } else if (await this.claims.fail(mail))
      this.logger.warn(`${what} could not be sent and is tried again: ${String(cause)}`);
    else this.logger.warn(`${what} could not be sent and is given up: ${String(cause)}`);
  }
}

/** The mail server did not accept a mail. */
class UnsentMail extends Error {}
