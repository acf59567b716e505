import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { parse, stringify } from 'uuid';
import { Actor } from '../../../core/access/actor.js';
import { Env } from '../../../core/config/env.js';
import { runAsSystem } from '../../../core/database/row-security.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { NotFound } from '../../../core/errors/app-error.js';
import { EventBus } from '../../../core/events/event-bus.js';
import { UsersStore } from '../../../organizations/users/users.store.js';
import { MAIL_FREQUENCIES, listMailed, withoutMail } from '../notification-preferences.js';
import { NotificationSettingsUpdated } from '../settings/notification-settings.events.js';
import { NotificationSettingsStore } from '../settings/notification-settings.store.js';

const ID_BYTES = 16;
const SIGNATURE_BYTES = 16;

/** Creates and verifies unsubscribe links, which work without signing in. Each user has a signing key. */
@Injectable()
export class UnsubscribeLinksService {
  constructor(
    private readonly settings: NotificationSettingsStore,
    private readonly users: UsersStore,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
    private readonly env: Env,
  ) {}

  async getUrl(userId: string): Promise<string> {
    const key = await this.settings.getOrCreateUnsubscribeKey(userId);
    const token = Buffer.concat([parse(userId), sign(key, userId)]).toString('base64url');
    return `${this.env.baseUrl}/api/notifications/unsubscribe/${token}`;
  }

  /** @throws NotFound when the link is invalid */
  async assertValid(token: string): Promise<void> {
    await runAsSystem('a link to unsubscribe', () => this.verify(token));
  }

  /** Turns off all mail about events. Idempotent. @throws NotFound */
  async unsubscribe(token: string): Promise<void> {
    await runAsSystem('a link to unsubscribe', () =>
      this.unit.run(async () => {
        const user = await this.users.lock(await this.verify(token));
        if (!user) throw unknownLink();
        const settings = await this.settings.find(user.id);
        if (MAIL_FREQUENCIES.every((frequency) => listMailed(settings.categories, frequency).length === 0)) return;
        settings.categories = withoutMail(settings.categories);
        await this.settings.save(settings);
        const actor = Actor.onBehalfOf(user.id, 'a link to unsubscribe');
        await this.events.publish(new NotificationSettingsUpdated(actor, user, settings));
      }),
    );
  }

  /** @returns the id of the user of the link */
  private async verify(token: string): Promise<string> {
    const bytes = /^[\w-]{43}$/.test(token) ? Buffer.from(token, 'base64url') : Buffer.alloc(0);
    if (bytes.length !== ID_BYTES + SIGNATURE_BYTES) throw unknownLink();
    const userId = stringifyId(bytes.subarray(0, ID_BYTES));
    const key = userId && (await this.settings.findUnsubscribeKey(userId));
    if (!key || !timingSafeEqual(sign(key, userId), bytes.subarray(ID_BYTES))) throw unknownLink();
    return userId;
  }
}

const sign = (key: Buffer, userId: string): Buffer =>
  createHmac('sha256', key).update(`unsubscribe ${userId}`).digest().subarray(0, SIGNATURE_BYTES);

/** Returns null when the bytes are not a UUID. */
function stringifyId(bytes: Buffer): string | null {
  try {
    return stringify(bytes);
  } catch {
    return null;
  }
}

const unknownLink = (): NotFound => new NotFound('subscription', 'of this link');
