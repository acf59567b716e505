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

/** The quotas of workspaces. Features check here first, in the unit of work that locks the workspace. */
@Injectable()
export class WorkspaceQuotasService {
  private readonly counters = new Map<QuotaKey, QuotaCounter>();

  constructor(
    private readonly workspaces: WorkspacesService,
    private readonly store: WorkspacesStore,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** The feature that owns the counted records registers the count. */
  registerCounter(key: QuotaKey, counter: QuotaCounter): void {
    this.counters.set(key, counter);
  }

  async get(actor: Actor, id: string): Promise<WorkspaceQuotasView> {
    const workspace = await this.workspaces.get(actor, id, 'readQuotas');
    return WorkspaceQuotasView.fromEntity(workspace, await this.countAll(id));
  }

  /** Existing records stay when a limit is set below their number; only more is refused. */
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
   * Refuses `more` of something when the limit would be exceeded. The workspace is locked in this unit of work: until
   * its end nobody else counts.
   * @throws Conflict QUOTA_EXCEEDED naming key, limit and use
   */
  async assertWithinLimit(workspace: Workspace, key: QuotaKey, more = 1): Promise<void> {
    const limit = limitOf(workspace, key);
    if (limit === null || more === 0) return;
    const use = await this.count(key, workspace.id);
    if (use + more > limit) throw quotaExceeded(workspace, key, limit, use);
  }

  /** The same for records added to several workspaces at once, all of them locked. */
  async assertAllWithinLimit(workspaces: Workspace[], key: QuotaKey): Promise<void> {
    for (const workspace of workspaces) {
      const limit = limitOf(workspace, key);
      const use = limit === null ? 0 : await this.count(key, workspace.id);
      if (limit !== null && use > limit) throw quotaExceeded(workspace, key, limit, use - 1);
    }
  }

  /** Whether one more fits now; nothing is locked. */
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
