import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { connectionPolicy } from '../../connections/connection.policy.js';
import { ConnectionCreationService } from '../../connections/connection-creation.service.js';
import { ConnectionsService } from '../../connections/connections.service.js';
import { ALREADY_REGISTERED, ConnectionsStore } from '../../connections/connections.store.js';
import type { Actor } from '../../core/access/actor.js';
import { boundedParallel } from '../../core/bounded-parallel.js';
import { isDatabaseOutage } from '../../core/errors/database-outage.js';
import { AppError, Conflict } from '../../core/errors/app-error.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import type { ClusterAccess } from '../clusters/cluster-access.js';
import type { KubeconfigContext } from '../clusters/kubeconfig.js';
import { KubeconfigLoader } from '../clusters/kubeconfig.loader.js';
import { buildKubeconfig } from '../clusters/kubernetes-connection-kind.js';
import { RightsService } from '../rights/rights.service.js';
import { type RegisteredContext, type RegistrationFault, RegistrationView } from './registration.view.js';

/** The maximum number of clusters that one call pings concurrently. */
const MAX_PINGS = 20;

/** A context with its connection, or why it has none. */
interface SavedContext {
  context: string;
  id?: string;
  error?: RegistrationFault;
}

/** Creates a connection with its own credential for each context of a kubeconfig. */
@Injectable()
export class KubeconfigRegistrationService {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly creation: ConnectionCreationService,
    private readonly store: ConnectionsStore,
    private readonly rights: RightsService,
    private readonly organizations: OrganizationsService,
    private readonly kubeconfigs: KubeconfigLoader,
  ) {}

  /** @returns the outcome of each context @throws InvalidRequest when the text is not a kubeconfig */
  async register(actor: Actor, kubeconfig: string, organizationId: string | undefined): Promise<RegistrationView> {
    const organization = await this.organizations.resolve(actor, organizationId);
    await this.organizations.authorize(actor, connectionPolicy.create, organization.id);
    const contexts = await this.kubeconfigs.load(kubeconfig);
    const taken = new Set<string>();
    const saved: SavedContext[] = [];
    for (const found of contexts) saved.push(await this.save(actor, organization.id, found, taken));
    const outcomes = await boundedParallel(saved, MAX_PINGS, (one) => this.ping(actor, one));
    const answer = new RegistrationView();
    for (const { list, item } of outcomes) answer[list].push(item);
    return answer;
  }

  private async save(
    actor: Actor,
    organizationId: string,
    found: KubeconfigContext,
    taken: Set<string>,
  ): Promise<SavedContext> {
    const { context } = found;
    if (found.error) return { context, error: toRegistrationFault(found.error) };
    try {
      const id = await this.saveConnection(actor, organizationId, found, found.access, taken);
      taken.add(id);
      return { context, id };
    } catch (error) {
      return { context, error: toRegistrationFault(error) };
    }
  }

  private async ping(
    actor: Actor,
    { context, id, error }: SavedContext,
  ): Promise<{ list: keyof RegistrationView; item: RegisteredContext }> {
    if (id === undefined) return { list: 'failed', item: { context, error } };
    try {
      const missing = await this.rights.pingAndReview(actor, id);
      return { list: 'connected', item: { context, connection_id: id, ...(missing && { missing_rights: missing }) } };
    } catch (fault) {
      return { list: 'registered', item: { context, connection_id: id, error: toRegistrationFault(fault) } };
    }
  }

  /**
   * Updates the existing connection of the same server and user, otherwise creates one. Contexts of one kubeconfig
   * with the same server and user, which differ for instance in their namespace, are matched by name.
   */
  private async saveConnection(
    actor: Actor,
    organizationId: string,
    found: KubeconfigContext,
    access: ClusterAccess,
    taken: Set<string>,
  ): Promise<string> {
    const { context, cluster, user } = found;
    const pair = fingerprintOf(access.server, user ?? '');
    const own = fingerprintOf(access.server, user ?? '', context);
    const [byName, byPair] = [
      await this.store.findByFingerprint(organizationId, own),
      await this.store.findByFingerprint(organizationId, pair),
    ];
    const known = [byName, byPair].find((each) => each && !taken.has(each.id));
    const entered = {
      metadata: { ...descriptiveMetadata(known?.metadata), context, ...(cluster ? { cluster } : {}) },
      credential_secret: { kubeconfig: buildKubeconfig(access, context) },
    };
    if (known) return (await this.connections.update(actor, known.id, entered)).id;
    try {
      const made = await this.creation.create(
        actor,
        { name: context, kind: 'kubernetes', organization_id: organizationId, ...entered },
        byPair ? own : pair,
      );
      return made.id;
    } catch (error) {
      if (!(error instanceof Conflict) || error.code !== ALREADY_REGISTERED) throw error;
      return this.saveConnection(actor, organizationId, found, access, taken);
    }
  }
}

function fingerprintOf(...parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** Metadata of a connection except how to reach it, which the kubeconfig replaces. */
function descriptiveMetadata(metadata: Record<string, unknown> = {}): Record<string, unknown> {
  const { server: _server, namespace: _namespace, proxy: _proxy, ...rest } = metadata;
  return rest;
}

/** @throws unexpected errors, so that they are not reported as faults of the kubeconfig */
function toRegistrationFault(error: unknown): RegistrationFault {
  if (isDatabaseOutage(error) || !(error instanceof AppError)) throw error;
  return { code: error.code, detail: error.message, ...(error.remedy ? { remedy: error.remedy } : {}) };
}
