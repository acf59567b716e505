import { Injectable, Logger } from '@nestjs/common';
import { Actor } from '../../../core/access/actor.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { isDatabaseOutage } from '../../../core/errors/database-outage.js';
import { Mailer } from '../../../core/mail/mailer.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { MailSettings } from './mail-settings.js';
import { type DueMail, NotificationMailsStore } from './notification-mails.store.js';

export const MAIL_QUEUE = 'notification-mails';
export const MAIL_REQUESTS_QUEUE = 'notification-mail-requests';

/** How long it is remembered of which categories mail is sent at once; the sweep finds what is missed. */
const WANTED_MS = 10_000;

const actor = Actor.system('notifications');

/** Finds out who is to get mail now, and asks for the jobs that send it. */
@Injectable()
export class MailRequestsService {
  private readonly logger = new Logger('Notifications');
  private wanted: { categories: Set<string>; until: number } = { categories: new Set(), until: 0 };
  /** A job is being requested now; true when an event came in the meantime. */
  private asking: boolean | null = null;

  constructor(
    private readonly mails: NotificationMailsStore,
    private readonly jobs: JobsService,
    private readonly mailer: Mailer,
    private readonly times: MailSettings,
    private readonly unit: UnitOfWork,
  ) {}

  /** Says that there is a new event. */
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
      if (!isDatabaseOutage(error)) this.logger.warn(error, 'new events could not be looked for, trying again');
    } finally {
      this.asking = null;
    }
  }

  /** Makes mail due of whom the events concern that were not read yet. One job does so at a time. */
  async run(signal: AbortSignal): Promise<void> {
    for (const organizationId of await this.mails.listBehind())
      for (let more = true; more && !signal.aborted;) {
        const next = await this.unit.run(() => this.mails.requestNext(organizationId, this.times));
        await this.enqueueMails(next.due);
        ({ more } = next);
      }
  }

  /** Finds what is due, and what a lost notice or a process that died has left behind. */
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
      due.map(({ userId, frequency, dueAt }) => ({
        queue: MAIL_QUEUE,
        payload: { userId, frequency },
        organizationId: null,
        serialKey: `${MAIL_QUEUE} ${userId} ${frequency}`,
        runAt: dueAt,
      })),
    );
  }
}
