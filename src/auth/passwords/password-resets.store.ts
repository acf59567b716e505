import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { User } from '../../organizations/users/user.entity.js';

/** Who signs in at an issuer has no password here, and gets none behind its back. */
export const canReset = (user: User): boolean => user.passwordHash !== null && user.deactivatedAt === null;

/** The letters that let someone choose a new password, by the hashes of their tokens. */
@Injectable()
export class PasswordResetsStore {
  constructor(private readonly unit: UnitOfWork) {}

  async add(hash: Buffer, userId: string, seconds: number): Promise<void> {
    await this.unit.manager.query(
      `INSERT INTO password_reset (hash, user_id, expires_at) VALUES ($1, $2, now() + make_interval(secs => $3))`,
      [hash, userId, seconds],
    );
  }

  /** Whose letter it is, while it holds. */
  async findUserId(hash: Buffer): Promise<string | null> {
    const [row] = await this.unit.manager.query<{ user_id: string }[]>(
      `SELECT user_id FROM password_reset WHERE hash = $1 AND expires_at > now()`,
      [hash],
    );
    return row?.user_id ?? null;
  }

  /** Uses a letter up; answers whether this call did. */
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
