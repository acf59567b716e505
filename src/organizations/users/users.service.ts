import { Injectable } from '@nestjs/common';
import { assertInstallationAdmin, assertScope } from '../../core/authorization/permission-errors.js';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Conflict, Forbidden, InvalidRequest, NotFound } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import { assertReadOnlyUnchanged } from '../../core/rest/read-only-fields.js';
import type { Precondition } from '../../core/rest/precondition.js';
import { AccountView } from './account.view.js';
import type { AccountChange } from './account.inputs.js';
import type { User } from './user.entity.js';
import { UserDeactivated, UserReactivated, UserUpdated } from './user.events.js';
import { userPolicy } from './user.policy.js';
import { UsersStore } from './users.store.js';

/** The accounts of the installation, for its administrators. */
@Injectable()
export class UsersService {
  constructor(
    private readonly users: UsersStore,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async list(actor: Actor, query: ListQuery): Promise<Page<User>> {
    assertAdministers(actor);
    return this.unit.runAsSystem('accounts', () => this.users.page(query));
  }

  async get(actor: Actor, id: string): Promise<User> {
    assertAdministers(actor);
    return orNotFound(id, await this.unit.runAsSystem('accounts', () => this.users.find(id)));
  }

  /**
   * Appoints administrators, and deactivates or reactivates accounts. Both take effect at once for everything that runs on behalf
   * of the user.
   */
  async update(actor: Actor, id: string, input: AccountChange, match: Precondition): Promise<User> {
    assertAdministers(actor);
    return this.unit.runAsSystem('accounts', () => this.unit.run(() => this.applyChange(actor, id, input, match)));
  }

  private async applyChange(actor: Actor, id: string, input: AccountChange, match: Precondition): Promise<User> {
    const administrators = await this.users.lockAdministrators();
    if (actor.userId && !administrators.includes(actor.userId)) throw notAnAdministrator();
    const user = orNotFound(id, await this.users.lock(id));
    match.assertMatches(user);
    assertReadOnlyUnchanged(input, AccountView.fromEntity(user));
    const change = toChange(user, input);
    const stays = (change.installationAdmin ?? user.installationAdmin) && !(change.deactivatedAt ?? user.deactivatedAt);
    if (!stays && administrators.every((each) => each === id)) throw lastAdministrator();
    await this.users.change(user, change);
    if (change.installationAdmin !== undefined)
      await this.events.publish(new UserUpdated(actor, user, { installation_admin: user.installationAdmin }));
    if (change.deactivatedAt !== undefined)
      await this.events.publish(new (change.deactivatedAt ? UserDeactivated : UserReactivated)(actor, user));
    return user;
  }
}

function toChange(user: User, { installation_admin: admin, deactivated }: AccountChange): Partial<User> {
  if (admin && user.kind === 'service')
    throw InvalidRequest.forField('/installation_admin', 'must be false for a service account');
  if (admin && user.unconfirmedBy)
    throw new Conflict('ACCOUNT_UNCONFIRMED', 'another user chose the password of this account', {
      remedy: 'The owner of the address has to confirm the account first: POST /api/auth/password/forgot.',
    });
  const change: Partial<User> = {};
  if (admin !== undefined && admin !== user.installationAdmin) change.installationAdmin = admin;
  if (deactivated !== undefined && deactivated !== (user.deactivatedAt !== null))
    change.deactivatedAt = deactivated ? new Date() : null;
  return change;
}

/** Checked first, so that other callers cannot find out which accounts exist. */
function assertAdministers(actor: Actor): void {
  assertScope(actor, userPolicy.administer);
  assertInstallationAdmin(actor, userPolicy.administer);
}

const notAnAdministrator = (): Forbidden =>
  new Forbidden('only installation administrators manage accounts', {
    remedy: 'Ask an administrator of this installation.',
  });

const lastAdministrator = (): Conflict =>
  new Conflict('LAST_ADMINISTRATOR', 'this would leave the installation without an administrator', {
    remedy: 'Make someone else an installation administrator first.',
  });

function orNotFound(id: string, user: User | null): User {
  if (!user) throw new NotFound('user', id);
  return user;
}
