import { Injectable } from '@nestjs/common';
import { Store } from '../../core/database/store.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { User } from './user.entity.js';

@Injectable()
export class UsersStore extends Store<User> {
  constructor(unit: UnitOfWork) {
    super(unit, User, 'app_user');
  }

  findByEmail(email: string): Promise<User | null> {
    return this.rows.findOneBy({ email: email.trim().toLowerCase() });
  }

  find(id: string): Promise<User | null> {
    return this.rows.findOneBy({ id });
  }

  async anyExists(): Promise<boolean> {
    return this.rows.exists({ withDeleted: true });
  }
}
