import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { NotFound } from '../../core/errors/app-error.js';
import { OrganizationsStore } from '../organizations.store.js';
import { ProfileView } from './profile.view.js';
import { UsersStore } from './users.store.js';

/** What users see and say of themselves. */
@Injectable()
export class ProfilesService {
  constructor(
    private readonly users: UsersStore,
    private readonly organizations: OrganizationsStore,
  ) {}

  async get(actor: Actor): Promise<ProfileView> {
    const user = actor.userId ? await this.users.find(actor.userId) : null;
    if (!user) throw new NotFound('user', actor.userId ?? actor.name);
    return ProfileView.of(user, await this.organizations.ofMember(user.id));
  }
}
