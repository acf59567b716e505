import type { Access } from '../../core/authorization/access.service.js';
import type { Actor } from '../../core/access/actor.js';
import { Conflict } from '../../core/errors/app-error.js';
import { RecordGate, type RecordKind, type RecordPolicy } from '../../core/records/record-gate.js';
import type { Precondition } from '../../core/rest/precondition.js';
import type { WorkspaceOwnedEntity } from './workspace-owned.entity.js';
import type { WorkspacePlacementService } from './workspace-placement.service.js';

/**
 * Admits changes of records of workspaces, by the role in the workspace; an archived workspace is read-only. The workspace is
 * locked before the record, in the same order as by operations on workspaces.
 */
export abstract class WorkspaceOwnedGate<E extends WorkspaceOwnedEntity, P extends RecordPolicy> extends RecordGate<
  E,
  P
> {
  protected constructor(
    access: Access,
    protected readonly placement: WorkspacePlacementService,
    kind: Omit<RecordKind<E, P>, 'getProtectedRecord'>,
  ) {
    super(access, {
      ...kind,
      getProtectedRecord: ({ workspaceId, organizationId }) => ({ type: 'workspace', id: workspaceId, organizationId }),
    });
  }

  /** @throws as the base class, and Conflict WORKSPACE_ARCHIVED, or CONCURRENT_CHANGE when the record has just been moved */
  override async getForUpdate(actor: Actor, id: string, operation: keyof P, match: Precondition): Promise<E> {
    const { workspaceId } = await this.getAuthorized(actor, id, operation);
    await this.placement.admit(actor, workspaceId);
    const record = this.orNotFound(id, await this.kind.store.lock(actor, id));
    if (record.workspaceId !== workspaceId)
      throw new Conflict('CONCURRENT_CHANGE', `the ${this.kind.name} has just been moved`, {
        remedy: 'Repeat the call.',
      });
    match.assertMatches(record);
    return record;
  }

  protected override async getForRestore(actor: Actor, id: string): Promise<E> {
    const current = this.orNotFound(id, await this.kind.store.find(actor, id, true));
    await this.requireAccess(actor, 'restore', current);
    if (!current.deletedAt) return current;
    await this.placement.admit(actor, current.workspaceId);
    return this.orNotFound(id, await this.kind.store.lock(actor, id, true));
  }
}
