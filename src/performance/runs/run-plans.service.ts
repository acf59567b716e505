import { Injectable } from '@nestjs/common';
import { InvalidRequest } from '../../core/errors/app-error.js';
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

  /** Builds the input of the generator process. @throws InvalidRequest, also OUTBOUND_REFUSED; RemoteFailure; Conflict */
  async toTask(
    profile: PerformanceProfile,
    plan: LoadPlan,
  ): Promise<{ generator: LoadGenerator; task: GeneratorTask }> {
    this.assertWithinLimits(profile);
    const generator = this.chooseGenerator(profile, plan.endpoint);
    const address = await this.outbound.resolve(plan.endpoint, 'user');
    const content = await this.contents.open(profile);
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
