import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { callAddressIn } from '../../core/outbound/outbound-refused.js';
import { Outbound } from '../../core/outbound/outbound.service.js';
import { MonitoringClient } from '../../monitoring/monitoring-client.js';
import { PROMETHEUS } from '../../monitoring/prometheus/prometheus.service.js';
import type { Workspace } from '../../workspaces/workspace.entity.js';
import { LoadLimits } from '../load/load-limits.js';
import { PerformanceProfile } from './profile.entity.js';
import type { NewPerformanceProfile, PerformanceProfileChange } from './profile.inputs.js';
import { toChangedSettings, toNewSettings } from './profile-fields.js';
import { ProfileContentsService } from './profile-contents.service.js';

/** Validates the settings of profiles by the operator's limits, the outbound guard and the rights of the caller. */
@Injectable()
export class ProfileSettingsService {
  constructor(
    readonly contents: ProfileContentsService,
    private readonly limits: LoadLimits,
    private readonly outbound: Outbound,
    private readonly monitoring: MonitoringClient,
  ) {}

  /** Builds a new profile without storing it. @throws InvalidRequest, also OUTBOUND_REFUSED; NotFound for a connection that the actor may not see */
  async make(
    actor: Actor,
    { id, organizationId }: Workspace,
    input: NewPerformanceProfile,
  ): Promise<PerformanceProfile> {
    const { fields, content } = toNewSettings(input, this.limits);
    await this.assertReachable(actor, null, input);
    const profile = Object.assign(new PerformanceProfile(), fields, {
      ...{ organizationId, workspaceId: id, userId: actor.userId },
      headerNames: Object.keys(content.headers),
      cookieNames: Object.keys(content.cookies),
      scheduledBy: fields.schedule ? actor.userId : null,
      lastRun: null,
      totalResults: 0,
    });
    profile.content = await this.contents.seal(profile, content);
    return profile;
  }

  /** Returns the changed columns of a profile that the caller has locked. */
  async toChange(
    actor: Actor,
    profile: PerformanceProfile,
    input: PerformanceProfileChange,
  ): Promise<Partial<PerformanceProfile>> {
    const stored = await this.contents.open(profile);
    const { fields, content } = toChangedSettings(input, profile, stored, this.limits);
    if (fields.schedule !== undefined) fields.scheduledBy = fields.schedule && actor.userId;
    if (JSON.stringify(content) === JSON.stringify(stored)) return fields;
    return {
      ...fields,
      headerNames: Object.keys(content.headers),
      cookieNames: Object.keys(content.cookies),
      content: await this.contents.seal(profile, content),
    };
  }

  /** Checks new URLs and connections of an input, including DNS resolution. */
  async assertReachable(
    actor: Actor,
    profile: PerformanceProfile | null,
    { endpoints = [], metrics_connection_id: named, metrics_queries: queries }: PerformanceProfileChange,
  ): Promise<void> {
    for (const [index, endpoint] of [...new Set(endpoints)].entries())
      if (!profile?.endpoints.includes(endpoint))
        await callAddressIn(`/endpoints/${index}`, () => this.outbound.assertAllowed(endpoint, 'user'));
    const connection = named === undefined ? profile?.metricsConnectionId : named;
    // Scheduled runs act as another user, who may see the connection, so a caller who changes its queries must see it as well.
    const asksAnew = queries != null && JSON.stringify(queries) !== JSON.stringify(profile?.metricsQueries);
    if (connection && (asksAnew || connection !== profile?.metricsConnectionId))
      await this.monitoring.getConnection(actor, connection, PROMETHEUS);
  }
}
