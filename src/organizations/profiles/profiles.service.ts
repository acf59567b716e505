import { Injectable } from '@nestjs/common';
import { assertScope } from '../../core/authorization/permission-errors.js';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { InvalidRequest, NotFound } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { Precondition } from '../../core/rest/precondition.js';
import { assertReadOnlyUnchanged } from '../../core/rest/read-only-fields.js';
import { OrganizationsStore } from '../organizations.store.js';
import type { ProfileChange } from './profile.inputs.js';
import { ProfileView } from './profile.view.js';
import { UserUpdated } from '../users/user.events.js';
import { userPolicy } from '../users/user.policy.js';
import { UsersStore } from '../users/users.store.js';

/** Reads and changes users' own profiles. */
@Injectable()
export class ProfilesService {
  constructor(
    private readonly users: UsersStore,
    private readonly organizations: OrganizationsStore,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async get(actor: Actor): Promise<ProfileView> {
    assertScope(actor, userPolicy.readProfile);
    const user = actor.userId ? await this.users.find(actor.userId) : null;
    if (!user) throw new NotFound('user', actor.userId ?? actor.name);
    return ProfileView.fromEntity(user, await this.organizations.listByMember(user.id));
  }

  async update(actor: Actor, input: ProfileChange, match: Precondition): Promise<ProfileView> {
    assertScope(actor, userPolicy.updateProfile);
    return this.unit.run(async () => {
      const user = actor.userId ? await this.users.lock(actor.userId) : null;
      if (!user) throw new NotFound('user', actor.userId ?? actor.name);
      match.assertMatches(user);
      const memberships = await this.organizations.listByMember(user.id);
      assertReadOnlyUnchanged(input, ProfileView.fromEntity(user, memberships));
      const meant = input.default_organization_id;
      if (meant && !memberships.some(({ id }) => id === meant.toLowerCase()))
        throw InvalidRequest.forField('/default_organization_id', 'must be one of your organizations');
      if (await this.users.change(user, input.fields())) await this.events.publish(new UserUpdated(actor, user));
      return ProfileView.fromEntity(user, memberships);
    });
  }
}
