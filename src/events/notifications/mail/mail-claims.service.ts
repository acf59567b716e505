import { Injectable } from '@nestjs/common';
import { backoff } from '../../../core/backoff.js';
import { readDatabaseTime } from '../../../core/database/database-time.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { Mailer } from '../../../core/mail/mailer.js';
import type { User } from '../../../organizations/users/user.entity.js';
import { findMailBlock } from './mail-block.js';
import { UsersStore } from '../../../organizations/users/users.store.js';
import { FeedStore } from '../../feed.store.js';
import { listMailed } from '../notification-preferences.js';
import type { NotificationSettings } from '../settings/notification-settings.entity.js';
import { NotificationSettingsStore } from '../settings/notification-settings.store.js';
import { nextDigest } from './mail-schedule.js';
import { MailSettings } from './mail-settings.js';
import type { MailClaim, NotificationMail } from './notification-mail.entity.js';
import { type MailKey, NotificationMailsStore } from './notification-mails.store.js';

const DAY_MS = 86_400_000;
/** The longest period that a mail covers, even after a long outage. */
const MAX_AGE_MS = { realtime: DAY_MS, hourly: DAY_MS, daily: 7 * DAY_MS };

/** A mail that this process has claimed. */
export interface ClaimedMail {
  key: MailKey;
  claim: MailClaim;
  user: User;
  settings: NotificationSettings;
  failures: number;
  /** By the clock of the database. */
  claimedAt: Date;
}

/** Claims mails before they are sent, so that no two processes send the same mail. */
@Injectable()
export class MailClaimsService {
  constructor(
    private readonly mails: NotificationMailsStore,
    private readonly settings: NotificationSettingsStore,
    private readonly users: UsersStore,
    private readonly feeds: FeedStore,
    private readonly times: MailSettings,
    private readonly unit: UnitOfWork,
  ) {}

  /**
   * Claims a due mail. After an unfinished claim, the mail keeps its events and its `Message-ID`.
   * @param last the last statement of the unit of work
   */
  async claim(key: MailKey, mailer: Mailer, last: () => Promise<void>): Promise<ClaimedMail | null> {
    return this.unit.run(async () => {
      const mail = await this.mails.lockDue(key);
      if (!mail) return null;
      const claimedAt = await readDatabaseTime(this.unit.manager);
      const settings = await this.settings.find(key.userId);
      const user = await this.users.find(key.userId);
      if (!user || !getsMail(user) || listMailed(settings.categories, key.frequency).length === 0) {
        await this.mails.pass(key, nextDigest(key.frequency, settings, claimedAt));
        return null;
      }
      const claim = mail.claim ?? (await this.makeClaim(mail, mailer.generateMessageId(), claimedAt));
      await this.mails.claim(key, claim, this.times.claimMs);
      await last();
      return { key, claim, user, settings, failures: mail.failures, claimedAt };
    });
  }

  /** Completes a mail that was sent, or that had no events. */
  finish({ key, claim, settings, claimedAt }: ClaimedMail, sent: boolean): Promise<void> {
    const nextAt = nextDigest(key.frequency, settings, claimedAt);
    return this.mails.finish(key, claim, { sent, nextAt, intervalMs: this.times.intervalMs });
  }

  /** Records a failed attempt. @returns whether there is another attempt; otherwise the events are only shown in the application */
  async fail(mail: ClaimedMail): Promise<boolean> {
    const attempts = mail.failures + 1;
    if (attempts >= this.times.maxAttempts) {
      await this.finish(mail, false);
      return false;
    }
    const { firstRetryMs, longestRetryMs } = this.times;
    await this.mails.postpone(mail.key, mail.claim, backoff(attempts, firstRetryMs, longestRetryMs));
    return true;
  }

  /** Creates a claim on the events since the previous mail. */
  private async makeClaim(mail: NotificationMail, messageId: string, now: Date) {
    const { userId, frequency, startedAt, positions } = mail;
    const since = new Date(Math.max(startedAt.getTime(), now.getTime() - MAX_AGE_MS[frequency])).toISOString();
    const ends = await this.feeds.findEndsForUser(userId);
    const windows = ends.map(({ feed, last }): [string, [string, string]] => [
      feed,
      [positions[feed] ?? '0', last.toString()],
    ]);
    return { messageId, since, windows: Object.fromEntries(windows) };
  }
}

/** Only active users with a confirmed address get mail. */
const getsMail = (user: User): boolean => !user.deactivatedAt && findMailBlock(user) === null;
