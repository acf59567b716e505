import { Injectable } from '@nestjs/common';
import { Conflict, InvalidRequest } from '../../core/errors/app-error.js';
import { Outbound } from '../../core/outbound/outbound.service.js';
import { parsePrometheusDuration } from '../../core/durations.js';
import { LoadGeneratorsService } from '../load/load-generators.service.js';
import { LoadLimits } from '../load/load-limits.js';
import { type GeneratorTask, type LoadGenerator, type LoadPlan, toTarget } from '../load/load-plan.js';
import { ProfileContentsService } from '../profiles/profile-contents.service.js';
import type { PerformanceProfile } from '../profiles/profile.entity.js';
import { toHeaders } from '../profiles/request-content.js';

/** The connections at the start of a run that opens as many as its rate needs. */
const INITIAL_CONNECTIONS = 10;
const DEFAULT_TIMEOUT_SECONDS = 10;

/** Plans runs of profiles, and checks them at their request and again at their start. */
@Injectable()
export class RunPlansService {
  constructor(
    readonly limits: LoadLimits,
    private readonly generators: LoadGeneratorsService,
    private readonly contents: ProfileContentsService,
    private readonly outbound: Outbound,
  ) {}

  toPlan(profile: PerformanceProfile, endpoint: string | undefined): LoadPlan {
    const { protocol, method, loadModel, qps, stages, duration, timeout, endpoints } = profile;
    return {
      endpoint: toTarget(endpoint ?? endpoints[0] ?? ''),
      ...{ protocol, method, model: loadModel, ...this.toConnections(profile) },
      rate: qps === 0 && stages.length === 0 ? this.limits.maxRate : qps,
      ...(stages.length > 0 ? { stages } : {}),
      seconds: parsePrometheusDuration(duration) ?? 1,
      timeout: parsePrometheusDuration(timeout) ?? DEFAULT_TIMEOUT_SECONDS,
    };
  }

  private toConnections({
    concurrentRequest,
  }: PerformanceProfile): Pick<LoadPlan, 'connections' | 'initialConnections'> {
    if (concurrentRequest > 0) return { connections: concurrentRequest };
    const { maxConnections: connections } = this.limits;
    return { connections, initialConnections: Math.min(INITIAL_CONNECTIONS, connections) };
  }

  /** Checks that a run of the profile could start now. @throws InvalidRequest, also GENERATOR_UNAVAILABLE */
  async assertRunnable(profile: PerformanceProfile, endpoint = profile.endpoints[0] ?? ''): Promise<void> {
    this.assertWithinLimits(profile);
    this.chooseGenerator(profile, toTarget(endpoint));
    await this.outbound.assertAllowed(endpoint, 'user');
  }

  /** Builds the input of the generator process. @throws InvalidRequest, also OUTBOUND_REFUSED; RemoteFailure; Conflict, also PROFILE_CHANGED */
  async toTask(
    profile: PerformanceProfile,
    plan: LoadPlan,
  ): Promise<{ generator: LoadGenerator; task: GeneratorTask }> {
    const { content, revision } = await this.contents.openWithRevision(profile);
    // The headers are those of the profile as it is now, and may have been entered for another server than that of the plan.
    if (revision !== profile.revision || !isTargetOf(profile, plan))
      throw new Conflict('PROFILE_CHANGED', 'the profile was changed after the run was requested', {
        remedy: 'Run the test again: POST /api/performance/profiles/{id}/run.',
      });
    this.assertWithinLimits(profile);
    const generator = this.chooseGenerator(profile, plan.endpoint);
    const address = await this.outbound.resolve(plan.endpoint, 'user');
    const headers = toHeaders(content, profile.contentType);
    const program = this.generators.findProgram(generator);
    return { generator, task: { generator, plan, address, headers, body: content.body, program } };
  }

  private chooseGenerator(profile: PerformanceProfile, endpoint: string): LoadGenerator {
    const { loadGenerators: wanted, protocol, loadModel: model, concurrentRequest: connections } = profile;
    const hasSecrets = profile.headerNames.length + profile.cookieNames.length > 0;
    return this.generators.choose({ wanted, endpoint, protocol, model, connections, hasSecrets });
  }

  /** Checks the operator's limits again, which may have changed since the profile was stored. */
  private assertWithinLimits(profile: PerformanceProfile): void {
    const errors = this.limits.findFaults(profile);
    if (errors.length > 0)
      throw new InvalidRequest(`the profile asks for too much: ${errors.map(({ detail }) => detail).join('; ')}`, {
        errors,
        remedy: 'Change the profile: PUT /api/performance/profiles/{id}.',
      });
  }
}

/** Whether the profile still sends its requests where the plan does, and in the same way. */
const isTargetOf = ({ endpoints, method, protocol }: PerformanceProfile, plan: LoadPlan): boolean =>
  endpoints.map(toTarget).includes(plan.endpoint) && method === plan.method && protocol === plan.protocol;
