import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PostgresNotifications } from '../database/postgres-notifications.js';
import { named } from '../database/statements.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import type { Actor } from '../access/actor.js';
import { type Role, roleFromRank } from '../access/roles.js';

/**
 * Payload of the notifications that triggers send: the id of the user whose memberships changed, or empty when an
 * organization changed.
 */
const CHANNEL = 'armature_memberships';
const MAX_AGE_MS = 30_000;
const MAX_CACHED_USERS = 20_000;

const OF_USER = named(
  `SELECT resource_id AS id, role FROM access_role WHERE user_id = $1 AND resource_type = 'organization'`,
);

interface CachedRoles {
  until: number;
  roles: ReadonlyMap<string, Role>;
}

/**
 * Caches the organization roles of callers for at most 30 seconds and invalidates them on change, so that a read
 * with a warm cache queries only its records. Cache misses, and all reads inside a unit of work, query the database.
 * The row-level security policies check each statement independently.
 */
@Injectable()
export class Memberships implements OnModuleInit {
  private readonly cache = new Map<string, CachedRoles>();
  /** Counts invalidations: a result that was read during one is not cached. */
  private changes = 0;

  constructor(
    private readonly unit: UnitOfWork,
    private readonly notifications: PostgresNotifications,
  ) {}

  onModuleInit(): void {
    this.notifications.subscribe(CHANNEL, (userId) => this.invalidate(userId || null));
    this.notifications.onReconnect(() => this.invalidate(null));
  }

  /** Returns the actor's role in an organization; undefined when the database has to be queried. */
  findRole(actor: Actor, organizationId: string): Role | undefined | Promise<Role | undefined> {
    const { userId, isSystem } = actor;
    if (isSystem || !userId || this.unit.isOpen) return undefined;
    const id = organizationId.toLowerCase();
    const known = this.findCached(userId);
    return known ? known.get(id) : this.loadRoles(userId).then((roles) => roles.get(id));
  }

  private findCached(userId: string): ReadonlyMap<string, Role> | undefined {
    const known = this.cache.get(userId);
    return known && known.until > performance.now() ? known.roles : undefined;
  }

  private async loadRoles(userId: string): Promise<ReadonlyMap<string, Role>> {
    const before = this.changes;
    const rows = await this.unit.manager.query<{ id: string; role: number }[]>(OF_USER, [userId]);
    const roles = new Map(rows.map(({ id, role }) => [id, roleFromRank(role)]));
    if (before === this.changes) this.store(userId, roles);
    return roles;
  }

  /** Invalidates the cached roles of one user, or of all users (null). Call it after a change of memberships has committed. */
  invalidate(userId: string | null): void {
    this.changes++;
    if (userId === null) this.cache.clear();
    else this.cache.delete(userId);
  }

  private store(userId: string, roles: ReadonlyMap<string, Role>): void {
    const oldest = this.cache.size >= MAX_CACHED_USERS ? this.cache.keys().next().value : undefined;
    if (oldest !== undefined) this.cache.delete(oldest);
    this.cache.delete(userId);
    this.cache.set(userId, { until: performance.now() + MAX_AGE_MS, roles });
  }
}
