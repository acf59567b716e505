import { Injectable } from '@nestjs/common';
import { Env } from '../../core/config/env.js';
import { assertWatching } from '../../kubernetes/resources/watch/assert-watching.js';
import type { Deployment, DeploymentOptions } from '../deployment.entity.js';
import { DeployedNamespacesService } from '../plans/deployed-namespaces.service.js';

/** Checks whether the options of a request can be satisfied. */
@Injectable()
export class DeploymentConditionsService {
  constructor(
    private readonly namespaces: DeployedNamespacesService,
    private readonly env: Env,
  ) {}

  /** @throws Conflict NAMESPACE_CHANGED; WATCH_DISABLED for self-healing while clusters are not watched */
  async require(
    location: Pick<Deployment, 'designId' | 'environmentId' | 'connectionIds'>,
    options: Pick<DeploymentOptions, 'namespace' | 'move' | 'self_heal'>,
  ): Promise<void> {
    if (options.self_heal) assertWatching(this.env);
    await this.namespaces.requireSame(location, options);
  }
}
