import { Injectable } from '@nestjs/common';
import { PingsService } from '../../connections/pings.service.js';
import type { Actor } from '../../core/access/actor.js';
import { Env } from '../../core/config/env.js';
import { clusterPolicy } from '../cluster.policy.js';
import type { ClusterClient } from '../clusters/cluster-client.js';
import { ClusterError } from '../clusters/cluster-error.js';
import { OpenClustersService } from '../middleware/open-clusters.service.js';
import { isNeededInNamespace, PURPOSES, type Purpose, REQUIRED_RIGHTS } from './required-rights.js';
import { RightsReview } from './rights-review.js';
import { RightsQuery } from './rights.inputs.js';
import type { ConnectionRightsView, MissingRightView, PurposeRightsView } from './rights.view.js';

const TIMEOUT_MS = 20_000;
/** The timeout of the permission review on registration. */
const REGISTRATION_TIMEOUT_MS = 5_000;

/** Reviews which of the required permissions the credentials of clusters have. */
@Injectable()
export class RightsService {
  constructor(
    private readonly clusters: OpenClustersService,
    private readonly pings: PingsService,
    private readonly env: Env,
  ) {}

  /** @throws ClusterError */
  async review(actor: Actor, id: string, query: RightsQuery): Promise<ConnectionRightsView> {
    const { connection, client } = await this.clusters.get(actor, id, clusterPolicy.readRights);
    const namespace = query.namespace || undefined;
    return withinTime(TIMEOUT_MS, async (signal) => {
      const review = new RightsReview(client, signal);
      return {
        connection_id: connection.id,
        user: await review.getUser(),
        namespace: namespace ?? null,
        checked_at: new Date(),
        purposes: await this.reviewPurposes(review, RightsQuery.purposesOf(query, PURPOSES), namespace),
      };
    });
  }

  /**
   * Pings a new connection, then lists the missing permissions of its credential; undefined when the cluster does
   * not report them in time.
   */
  async pingAndReview(actor: Actor, id: string): Promise<MissingRightView[] | undefined> {
    await this.pings.ping(actor, id);
    const { client } = await this.clusters.get(actor, id, clusterPolicy.readRights);
    return withinTime(REGISTRATION_TIMEOUT_MS, (signal) => this.listMissing(client, signal)).catch((error: unknown) => {
      if (error instanceof ClusterError) return undefined;
      throw error;
    });
  }

  private async reviewPurposes(
    review: RightsReview,
    purposes: readonly Purpose[],
    namespace?: string,
  ): Promise<PurposeRightsView[]> {
    const purposeViews: PurposeRightsView[] = [];
    for (const purpose of purposes) {
      const isInNamespace = namespace !== undefined && purpose !== 'operator';
      const home = purpose === 'operator' ? this.env.OPERATOR_NAMESPACE : namespace;
      const required = REQUIRED_RIGHTS[purpose].filter((right) => !isInNamespace || isNeededInNamespace(right));
      const rights = await review.check(
        required.filter(({ optional }) => !optional),
        home,
      );
      purposeViews.push({
        for: purpose,
        allowed: rights.every(({ missing_verbs: missing }) => missing.length === 0),
        rights,
        optional_rights: await review.check(
          required.filter(({ optional }) => optional),
          home,
        ),
      });
    }
    return purposeViews;
  }

  private async listMissing(client: ClusterClient, signal: AbortSignal): Promise<MissingRightView[]> {
    const purposes = await this.reviewPurposes(new RightsReview(client, signal), PURPOSES);
    return purposes.flatMap(({ for: purpose, rights }) =>
      rights.flatMap(({ api_group, resource, missing_verbs, consequence }) =>
        consequence === null ? [] : [{ for: purpose, api_group, resource, missing_verbs, consequence }],
      ),
    );
  }
}

async function withinTime<T>(milliseconds: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(milliseconds);
  try {
    return await work(signal);
  } catch (error) {
    if (signal.aborted && !(error instanceof ClusterError))
      throw new ClusterError('timeout', 'The cluster did not list its rights in time', { cause: error });
    throw error;
  }
}
