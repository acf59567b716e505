import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { Precondition } from '../../core/rest/precondition.js';
import type { Workspace } from '../workspace.entity.js';
import { WorkspaceQuotaChanged } from '../workspace.events.js';
import { WorkspacesService } from '../workspaces.service.js';
import { WorkspacesStore } from '../workspaces.store.js';
import { quotaExceeded, limitOf, QUOTA_KEYS, type QuotaKey, type QuotaStatus } from './quota.js';
import type { QuotasChange } from './quotas.inputs.js';
import { WorkspaceQuotasView } from './quotas.view.js';

type QuotaCounter = (workspaceId: string) => Promise<number>;

/** The quotas of workspaces. Services check them in the transaction that locks the workspace. */
@Injectable()
export class WorkspaceQuotasService {
  private readonly counters = new Map<QuotaKey, QuotaCounter>();

  constructor(
    private readonly workspaces: WorkspacesService,
    private readonly store: WorkspacesStore,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** Registers the count of a quota; the module that owns the counted records provides it. */
  registerCounter(key: QuotaKey, counter: QuotaCounter): void {
    this.counters.set(key, counter);
  }

  async get(actor: Actor, id: string): Promise<WorkspaceQuotasView> {
    const workspace = await this.workspaces.get(actor, id, 'readQuotas');
    return WorkspaceQuotasView.fromEntity(workspace, await this.countAll(id));
  }

  /** Sets limits. Existing records above a limit stay; only new ones are refused. */
  async update(actor: Actor, id: string, input: QuotasChange, match: Precondition): Promise<WorkspaceQuotasView> {
    return this.unit.run(async () => {
      const workspace = await this.workspaces.getForUpdate(actor, id, 'setQuotas', match);
      if (await this.store.change(workspace, input.fields())) {
        const limits = Object.fromEntries(QUOTA_KEYS.map((key) => [key, limitOf(workspace, key)]));
        await this.events.publish(new WorkspaceQuotaChanged(actor, workspace, limits));
      }
      return WorkspaceQuotasView.fromEntity(workspace, await this.countAll(id));
    });
  }

  /**
   * Refuses `more` of something when the limit would be exceeded. The caller has locked the workspace in this transaction, so that
   * the count cannot change concurrently.
   * @throws Conflict QUOTA_EXCEEDED naming key, limit and use
   */
  async assertWithinLimit(workspace: Workspace, key: QuotaKey, more = 1): Promise<void> {
    const limit = limitOf(workspace, key);
    if (limit === null || more === 0) return;
    const use = await this.count(key, workspace.id);
    if (use + more > limit) throw quotaExceeded(workspace, key, limit, use);
  }

  /** As `assertWithinLimit`, for one more record in each of several locked workspaces. */
  async assertAllWithinLimit(workspaces: Workspace[], key: QuotaKey): Promise<void> {
    for (const workspace of workspaces) {
      const limit = limitOf(workspace, key);
      const use = limit === null ? 0 : await this.count(key, workspace.id);
      if (limit !== null && use > limit) throw quotaExceeded(workspace, key, limit, use - 1);
    }
  }

  /** Whether one more is allowed now; locks nothing. */
  async getStatus(actor: Actor, workspaceId: string, key: QuotaKey): Promise<QuotaStatus> {
    const limit = limitOf(await this.workspaces.get(actor, workspaceId, 'readQuotas'), key);
    const use = await this.count(key, workspaceId);
    return { key, limit, use, allowed: limit === null || use < limit };
  }

  private async countAll(workspaceId: string): Promise<Record<QuotaKey, number>> {
    const use = {} as Record<QuotaKey, number>;
    for (const key of QUOTA_KEYS) use[key] = await this.count(key, workspaceId);
    return use;
  }

  private count(key: QuotaKey, workspaceId: string): Promise<number> {
    const counter = this.counters.get(key);
    if (!counter) throw new Error(`no counter is registered for ${key}`);
    return counter(workspaceId);
  }
}
