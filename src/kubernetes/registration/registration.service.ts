import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Connection } from '../../connections/connection.entity.js';
import { connectionPolicy } from '../../connections/connection.policy.js';
import { ConnectionsService } from '../../connections/connections.service.js';
import { ConnectionsStore } from '../../connections/connections.store.js';
import { PingsService } from '../../connections/pings.service.js';
import { Access } from '../../core/access/access.js';
import type { Actor } from '../../core/access/actor.js';
import { Env } from '../../core/config/env.js';
import { AppError } from '../../core/errors/app-error.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import type { ClusterAccess } from '../clusters/cluster-access.js';
import { type KubeconfigContext, readKubeconfig } from '../clusters/kubeconfig.js';
import { publicPart, secretPart } from '../clusters/kubernetes-kind.js';
import { type RegisteredContext, RegistrationView } from './registration.view.js';

/** Makes connections of a kubeconfig: one for each context, each with a credential of its own. */
@Injectable()
export class RegistrationService {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly store: ConnectionsStore,
    private readonly pings: PingsService,
    private readonly organizations: OrganizationsService,
    private readonly access: Access,
    private readonly env: Env,
  ) {}

  /** @throws InvalidRequest when the text is no kubeconfig; what is wrong with one context is told in the answer */
  async register(actor: Actor, kubeconfig: string, organizationId: string | undefined): Promise<RegistrationView> {
    const organization = await this.organizations.meantBy(actor, organizationId);
    await this.access.require(actor, connectionPolicy.create, {
      type: 'organization',
      id: organization.id,
      organizationId: organization.id,
    });
    const answer = new RegistrationView();
    for (const found of readKubeconfig(kubeconfig, { insecureTls: this.env.CLUSTER_INSECURE_TLS })) {
      const { list, item } = await this.take(actor, organization.id, found);
      answer[list].push(item);
    }
    return answer;
  }

  private async take(
    actor: Actor,
    organizationId: string,
    found: KubeconfigContext,
  ): Promise<{ list: keyof RegistrationView; item: RegisteredContext }> {
    const { context } = found;
    if (found.error) return { list: 'failed', item: { context, error: told(found.error) } };
    let connection: Connection;
    try {
      connection = await this.keep(actor, organizationId, found, found.access);
    } catch (error) {
      return { list: 'failed', item: { context, error: told(error) } };
    }
    try {
      await this.pings.ping(actor, connection.id);
      return { list: 'connected', item: { context, connection_id: connection.id } };
    } catch (error) {
      return { list: 'registered', item: { context, connection_id: connection.id, error: told(error) } };
    }
  }

  /** The same server and user again updates the connection that they have. */
  private async keep(
    actor: Actor,
    organizationId: string,
    { context, cluster, user }: KubeconfigContext,
    access: ClusterAccess,
  ): Promise<Connection> {
    const fingerprint = createHash('sha256')
      .update(JSON.stringify([access.server, user ?? '']))
      .digest('base64url');
    const metadata = { ...publicPart(access), context, ...(cluster ? { cluster } : {}) };
    const known = await this.store.findByFingerprint(organizationId, fingerprint);
    if (known)
      return this.connections.update(actor, known.id, {
        metadata: { ...known.metadata, ...metadata },
        credential_secret: secretPart(access),
      });
    return this.connections.create(
      actor,
      {
        name: context,
        kind: 'kubernetes',
        metadata,
        credential_secret: secretPart(access),
        organization_id: organizationId,
      },
      fingerprint,
    );
  }
}

/** @throws what has no name, so that a fault of ours is not told as one of the kubeconfig */
function told(error: unknown): { code: string; detail: string; remedy?: string } {
  if (!(error instanceof AppError)) throw error;
  return { code: error.code, detail: error.message, ...(error.remedy ? { remedy: error.remedy } : {}) };
}
