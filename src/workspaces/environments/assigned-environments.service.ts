import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { toRelatedRecords } from '../../core/database/related-records.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import type { Environment } from '../../environments/environment.entity.js';
import { WorkspacesService } from '../workspaces.service.js';
import { EnvironmentsInWorkspaceStore } from './environments-in-workspace.store.js';
import { WorkspaceEnvironmentsStore } from './workspace-environments.store.js';

const MAX_LISTED = 100;

/** Lists the environments that are assigned to workspaces. */
@Injectable()
export class AssignedEnvironmentsService {
  constructor(
    private readonly mappings: WorkspaceEnvironmentsStore,
    private readonly workspaces: WorkspacesService,
    private readonly environments: EnvironmentsInWorkspaceStore,
  ) {}

  async list(actor: Actor, workspaceId: string, query: ListQuery): Promise<Page<Environment>> {
    await this.workspaces.get(actor, workspaceId);
    return this.environments.pageOfWorkspace(actor, workspaceId, query);
  }

  /** The environments of each of these workspaces that the actor may see, read by two statements in total. */
  async listByWorkspace(actor: Actor, workspaceIds: readonly string[]): Promise<Map<string, Environment[]>> {
    const pairs = await this.mappings.findRightIds(workspaceIds, MAX_LISTED);
    return toRelatedRecords(pairs, await this.environments.findAll(actor, [...pairs.values()].flat()));
  }
}
