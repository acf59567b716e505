import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { User } from '../../organizations/users/user.entity.js';

/** Whether a password can be reset. Users of an external issuer have no password here. */
export const canReset = (user: User): boolean => user.passwordHash !== null && user.deactivatedAt === null;

/** The mailed reset tokens, by their hashes. */
@Injectable()
export class PasswordResetsStore {
  constructor(private readonly unit: UnitOfWork) {}

  async add(hash: Buffer, userId: string, seconds: number): Promise<void> {
    await this.unit.manager.query(
      `INSERT INTO password_reset (hash, user_id, expires_at) VALUES ($1, $2, now() + make_interval(secs => $3))`,
      [hash, userId, seconds],
    );
  }

  /** The user of a valid token. */
  async findUserId(hash: Buffer): Promise<string | null> {
    const [row] = await this.unit.manager.query<{ user_id: string }[]>(
      `SELECT user_id FROM password_reset WHERE hash = $1 AND expires_at > now()`,
      [hash],
    );
    return row?.user_id ?? null;
  }

  /** Consumes a token. @returns whether this call consumed it */
  async consume(hash: Buffer): Promise<boolean> {
    const [, used] = await this.unit.manager.query<[unknown, number]>(
      `DELETE FROM password_reset WHERE hash = $1 AND expires_at > now()`,
      [hash],
    );
    return used === 1;
  }

  async deleteByUser(userId: string): Promise<void> {
    await this.unit.manager.query(`DELETE FROM password_reset WHERE user_id = $1`, [userId]);
  }

  async purge(): Promise<void> {
    await this.unit.manager.query(`DELETE FROM password_reset WHERE expires_at < now()`);
  }
}
