import { Injectable, Logger } from '@nestjs/common';
import { Actor } from '../../../core/access/actor.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { isDatabaseOutage } from '../../../core/errors/database-outage.js';
import { Mailer } from '../../../core/mail/mailer.js';
import { shareOf } from '../../../core/mail/mail-places.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { MailSettings } from './mail-settings.js';
import { type DueMail, NotificationMailsStore } from './notification-mails.store.js';

export const MAIL_QUEUE = 'notification-mails';
export const MAIL_REQUESTS_QUEUE = 'notification-mail-requests';

/** How long the categories with immediate mail are cached; the sweep finds missed events. */
const WANTED_MS = 10_000;

const actor = Actor.system('notifications');

/** Finds the users with due mail and enqueues the jobs that send it. */
@Injectable()
export class MailRequestsService {
  private readonly logger = new Logger('Notifications');
  private wanted: { categories: Set<string>; until: number } = { categories: new Set(), until: 0 };
  /** Not null while a job is being enqueued; true when a new event arrived meanwhile. */
  private asking: boolean | null = null;

  constructor(
    private readonly mails: NotificationMailsStore,
    private readonly jobs: JobsService,
    private readonly mailer: Mailer,
    private readonly times: MailSettings,
    private readonly unit: UnitOfWork,
  ) {}

  /** Call it for each new event. */
  async notice(category: string): Promise<void> {
    if (!this.mailer.isConfigured) return;
    if (this.asking !== null) {
      this.asking = true;
      return;
    }
    try {
      do {
        this.asking = false;
        if (await this.isWanted(category)) await this.enqueueRequests();
      } while (this.asking);
    } catch (error) {
      if (!isDatabaseOutage(error)) this.logger.warn(error, 'enqueueing notification mails failed and will be retried');
    } finally {
      this.asking = null;
    }
  }

  /** Schedules immediate mail to the recipients of new events. One job does so at a time. */
  async run(signal: AbortSignal): Promise<void> {
    for (const organizationId of await this.mails.listBehind())
      for (let more = true; more && !signal.aborted;) {
        const next = await this.unit.run(() => this.mails.requestNext(organizationId, this.times));
        await this.enqueueMails(next.due);
        ({ more } = next);
      }
  }

  /** Enqueues due mails, and finds events after a lost notification or a crash. */
  async sweep(): Promise<void> {
    if (!this.mailer.isConfigured) return;
    await this.enqueueRequests();
    await this.enqueueMails(await this.mails.listDue());
  }

  private async isWanted(category: string): Promise<boolean> {
    if (this.wanted.until < performance.now()) {
      const categories = new Set(await this.mails.listRealtimeCategories());
      this.wanted = { categories, until: performance.now() + WANTED_MS };
    }
    return this.wanted.categories.has(category);
  }

  private async enqueueRequests(): Promise<void> {
    await this.jobs.enqueueOnce(actor, [
      { queue: MAIL_REQUESTS_QUEUE, payload: {}, organizationId: null, serialKey: MAIL_REQUESTS_QUEUE },
    ]);
  }

  private async enqueueMails(due: DueMail[]): Promise<void> {
    if (due.length === 0) return;
    await this.jobs.enqueueOnce(
      actor,
      due.map(({ userId, frequency, dueAt, email }) => ({
        queue: MAIL_QUEUE,
        payload: { userId, frequency },
        organizationId: null,
        serialKey: `${MAIL_QUEUE} ${userId} ${frequency}`,
        shareKey: shareOf(email),
        runAt: dueAt,
      })),
    );
  }
}
