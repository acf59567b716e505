import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { newId } from '../../core/database/base.entity.js';
import { named } from '../../core/database/statements.js';
import type { User } from '../../organizations/users/user.entity.js';

/** The user of a session, with the fields that a token check needs. */
export interface SessionUser {
  session_id: string;
  user_id: string;
  email: string;
  installation_admin: boolean;
  default_organization_id: string | null;
}

const ACTIVE_USER = `u.deactivated_at IS NULL AND u.deleted_at IS NULL AND s.ended_at IS NULL AND s.expires_at > now()`;

const FIND_USER = named(`
  SELECT s.id AS session_id, u.id AS user_id, u.email, u.installation_admin, u.default_organization_id
    FROM session s JOIN app_user u ON u.id = s.user_id WHERE s.id = $1 AND ${ACTIVE_USER}`);

@Injectable()
export class SessionsStore {
  constructor(private readonly unit: UnitOfWork) {}

  /**
   * Opens a session for an active user whose password and identity at the issuer are still those that were checked; a concurrent
   * change of them or a deactivation prevents it.
   * @returns its id, or null
   */
  async create(
    { id, passwordHash, issuer, subject }: Pick<User, 'id' | 'passwordHash' | 'issuer' | 'subject'>,
    seconds: number,
  ): Promise<string | null> {
    const [row] = await this.unit.manager.query<{ id: string }[]>(
      `INSERT INTO session (id, user_id, expires_at)
       SELECT $1, u.id, now() + make_interval(secs => $4) FROM app_user u
        WHERE u.id = $2 AND u.password_hash IS NOT DISTINCT FROM $3
          AND u.issuer IS NOT DISTINCT FROM $5 AND u.subject IS NOT DISTINCT FROM $6
          AND u.deactivated_at IS NULL AND u.deleted_at IS NULL FOR SHARE
       RETURNING id`,
      [newId(), id, passwordHash, seconds, issuer, subject],
    );
    return row?.id ?? null;
  }

  /** The user of an open session, if they are active. */
  async findUser(sessionId: string): Promise<SessionUser | null> {
    const [row] = await this.unit.manager.query<SessionUser[]>(FIND_USER, [sessionId]);
    return row ?? null;
  }

  async addRefreshToken(sessionId: string, hash: Buffer): Promise<void> {
    await this.unit.manager.query(`INSERT INTO refresh_token (hash, session_id) VALUES ($1, $2)`, [hash, sessionId]);
  }

  /** Marks a token as used. @returns its session and the seconds since its first use (null: this is it), or null when it is unknown */
  async consumeRefreshToken(hash: Buffer): Promise<{ sessionId: string; usedFor: number | null } | null> {
    const [row] = await this.unit.manager.query<{ session_id: string; used_for: number | null }[]>(
      `SELECT session_id, extract(epoch FROM clock_timestamp() - used_at)::float8 AS used_for FROM refresh_token WHERE hash = $1 FOR UPDATE`,
      [hash],
    );
    if (!row) return null;
    await this.unit.manager.query(
      `UPDATE refresh_token SET used_at = coalesce(used_at, clock_timestamp()) WHERE hash = $1`,
      [hash],
    );
    return { sessionId: row.session_id, usedFor: row.used_for };
  }

  /** Ends a session. @returns its user, or null when it was not open */
  async end(sessionId: string): Promise<string | null> {
    const [rows] = await this.unit.manager.query<[{ user_id: string }[], number]>(
      `UPDATE session SET ended_at = now() WHERE id = $1 AND ended_at IS NULL RETURNING user_id`,
      [sessionId],
    );
    return rows[0]?.user_id ?? null;
  }

  /** Ends the open sessions of a user except `keep`. @returns their ids */
  async endAll(userId: string, keep: string | null = null): Promise<string[]> {
    const [rows] = await this.unit.manager.query<[{ id: string }[], number]>(
      `UPDATE session SET ended_at = now() WHERE user_id = $1 AND id IS DISTINCT FROM $2 AND ended_at IS NULL RETURNING id`,
      [userId, keep],
    );
    return rows.map((row) => row.id);
  }

  /** Deletes sessions that ended a month ago. */
  async purge(): Promise<void> {
    await this.unit.manager.query(`DELETE FROM session WHERE least(ended_at, expires_at) < now() - interval '30 days'`);
  }
}
