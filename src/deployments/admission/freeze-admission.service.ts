import { Injectable } from '@nestjs/common';
import { Conflict } from '../../core/errors/app-error.js';
import { type ActiveFreeze, FreezesService } from '../../environments/freezes/freezes.service.js';
import { freezePolicy } from '../../environments/freezes/freeze.policy.js';
import type { Deployment } from '../deployment.entity.js';
import { DeploymentRightsService } from './deployment-rights.service.js';

type FrozenSubject = Pick<Deployment, 'organizationId' | 'workspaceId' | 'environmentId' | 'requestedBy' | 'options'>;

/** Refuses deployments in frozen environments, unless an admin of the organization overrides the freeze. */
@Injectable()
export class FreezeAdmissionService {
  constructor(
    private readonly freezes: FreezesService,
    private readonly rights: DeploymentRightsService,
  ) {}

  /**
   * The freeze that a deployment overrides, if any. The requester must have the right to override it now.
   * @throws Conflict ENVIRONMENT_FROZEN
   */
  async requireOpen(deployment: FrozenSubject): Promise<ActiveFreeze | undefined> {
    const active = await this.freezes.findActive(deployment.environmentId);
    if (!active) return undefined;
    const { options, requestedBy } = deployment;
    if (options.override_freeze && (await this.rights.isAllowed(requestedBy, freezePolicy.override, deployment)))
      return active;
    throw frozen(active);
  }
}

function frozen({ freeze, endsAt }: ActiveFreeze): Conflict {
  const until = endsAt.toISOString();
  const why = freeze.message ? `: ${freeze.message}` : '';
  return new Conflict('ENVIRONMENT_FROZEN', `the environment is frozen until ${until}${why}`, {
    extensions: { ends_at: until, freeze: freeze.name },
    remedy:
      'Wait until ends_at, or ask an admin of the organization to send it with override_freeze: true and a reason.',
  });
}
