import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import type { Environment } from '../../environments/environment.entity.js';
import { environmentListing, EnvironmentsStore } from '../../environments/environments.store.js';

const IS_ASSIGNED = `environment.id IN
  (SELECT environment_id FROM workspace_environment WHERE workspace_id = :workspaceId AND deleted_at IS NULL)`;

/** Environments by the workspaces that they are assigned to. */
@Injectable()
export class EnvironmentsInWorkspaceStore extends EnvironmentsStore {
  pageOfWorkspace(actor: Actor, workspaceId: string, query: ListQuery): Promise<Page<Environment>> {
    return this.paginate(this.visibleTo(actor).andWhere(IS_ASSIGNED, { workspaceId }), environmentListing, query);
  }
}
