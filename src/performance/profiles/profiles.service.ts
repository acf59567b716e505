import { Injectable } from '@nestjs/common';
import { Access } from '../../core/authorization/access.service.js';
import { assertScope } from '../../core/authorization/permission-errors.js';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Conflict, InvalidRequest } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { Page } from '../../core/listing/page.js';
import { RecordGate } from '../../core/records/record-gate.js';
import type { Precondition } from '../../core/rest/precondition.js';
import type { TimeScope } from '../../workspaces/workspace-owned/narrow-by-times.js';
import { WorkspacePlacementService } from '../../workspaces/workspace-owned/workspace-placement.service.js';
import { performancePolicy } from './performance.policy.js';
import { PerformanceProfile } from './profile.entity.js';
import { PerformanceProfileCreated, PerformanceProfileDeleted, PerformanceProfileUpdated } from './profile.events.js';
import type { NewPerformanceProfile, PerformanceQuery, PerformanceProfileChange } from './profile.inputs.js';
import { PerformanceProfileView } from './profile.view.js';
import { ProfileSettingsService } from './profile-settings.service.js';
import { ProfilesStore } from './profiles.store.js';

const MAX_PROFILES = 500;

/** Manages the performance profiles of workspaces. */
@Injectable()
export class ProfilesService extends RecordGate<PerformanceProfile, typeof performancePolicy> {
  constructor(
    private readonly profiles: ProfilesStore,
    private readonly placement: WorkspacePlacementService,
    private readonly settings: ProfileSettingsService,
    access: Access,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {
    super(access, {
      name: 'performance profile',
      policy: performancePolicy,
      store: profiles,
      getProtectedRecord: ({ workspaceId, organizationId }) => ({ type: 'workspace', id: workspaceId, organizationId }),
      toView: async (profile) => PerformanceProfileView.fromProfile(await settings.contents.withBody(profile)),
    });
  }

  async list(actor: Actor, query: PerformanceQuery, times: TimeScope = {}): Promise<Page<PerformanceProfile>> {
    assertScope(actor, performancePolicy.read);
    await this.placement.assertVisible(actor, query);
    const { organization_id: organizationId, workspace_id: workspaceId } = query;
    return this.profiles.page(actor, { organizationId, workspaceId, ...times }, query);
  }

  async create(actor: Actor, input: NewPerformanceProfile): Promise<PerformanceProfile> {
    const workspace = await this.placement.resolve(actor, input, performancePolicy.create);
    const profile = await this.settings.make(actor, workspace, input);
    return this.unit.run(async () => {
      await this.placement.admit(actor, workspace.id);
      if (input.baseline_id)
        throw InvalidRequest.forField('/baseline_id', 'must be a result of this profile, which has none yet');
      if ((await this.profiles.count(workspace.id)) >= MAX_PROFILES)
        throw new Conflict('TOO_MANY_PROFILES', `the workspace has ${MAX_PROFILES} performance profiles already`, {
          remedy: 'Delete those that are not used: DELETE /api/performance/profiles/{id}.',
        });
      await this.profiles.insert(profile);
      await this.events.publish(new PerformanceProfileCreated(actor, profile));
      await this.profiles.notify(profile);
      return profile;
    });
  }

  async update(
    actor: Actor,
    id: string,
    input: PerformanceProfileChange,
    match: Precondition,
  ): Promise<PerformanceProfile> {
    await this.settings.assertReachable(actor, await this.getAuthorized(actor, id, 'update'), input);
    return this.unit.run(async () => {
      await this.placement.admit(actor, (await this.get(actor, id)).workspaceId);
      const profile = await this.getForChange(actor, id, input, match);
      if (input.baseline_id && !(await this.profiles.hasResult(profile, input.baseline_id)))
        throw InvalidRequest.forField('/baseline_id', 'must be a result of this profile');
      const change = await this.settings.toChange(actor, profile, input);
      if (!(await this.profiles.change(profile, change))) return profile;
      await this.events.publish(new PerformanceProfileUpdated(actor, profile));
      await this.profiles.notify(profile);
      return profile;
    });
  }

  /** Also cancels its runs and deletes its results. */
  async delete(actor: Actor, id: string, match: Precondition): Promise<PerformanceProfile> {
    return this.unit.run(async () => {
      await this.placement.admit(actor, (await this.getAuthorized(actor, id, 'delete')).workspaceId);
      const profile = await this.getForUpdate(actor, id, 'delete', match);
      await this.profiles.softDelete(profile);
      await this.events.publish(new PerformanceProfileDeleted(actor, profile));
      await this.profiles.notify(profile);
      return profile;
    });
  }
}
